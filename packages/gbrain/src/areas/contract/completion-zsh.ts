// The completion script of zsh: the same choices as in bash, each with what it is. Pure.
import { type CompletionCommand, type CompletionFlag, leadingWords } from './completion-model.ts';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** `name:what it is`, as _describe takes it. */
const described = (name: string, text: string): string =>
  quote(`${name.replaceAll(':', '\\:')}:${text.replaceAll(':', ' -')}`);

const namesOf = ({ name, short }: CompletionFlag): string[] => (short ? [name, short] : [name]);

function branch(command: CompletionCommand): string {
  const { path, flags, positionals } = command;
  const taking = flags.filter(({ takesValue }) => takesValue).flatMap(namesOf);
  const valued = flags.filter(({ values }) => values.length > 0);
  const cases = valued.map(
    (flag) => `        ${namesOf(flag).join('|')}) values=(${flag.values.map(quote).join(' ')}) ;;`,
  );
  const files = flags.filter(({ isPath }) => isPath).flatMap(namesOf);
  const places = positionals.flatMap((words, i) =>
    words.length > 0 ? [`        ${i}) places=(${words.map(quote).join(' ')}) ;;`] : [],
  );
  return [
    `    ${quote(path)})`,
    `      flags=(${flags.flatMap((flag) => namesOf(flag).map((name) => described(name, flag.text))).join(' ')})`,
    `      taking=(${taking.join(' ')})`,
    ...(files.length > 0 ? [`      paths=(${files.join(' ')})`] : []),
    ...(cases.length > 0 ? ['      case $prev in', ...cases, '      esac'] : []),
    ...(places.length > 0 ? ['      _gbrain_count', '      case $at in', ...places, '      esac'] : []),
    '      ;;',
  ].join('\n');
}

/** The script; it goes into a folder of $fpath as _gbrain, or is sourced after compinit. */
export function zshScript(commands: readonly CompletionCommand[]): string {
  const leading = leadingWords(commands);
  const textOf = (path: string) => commands.find((one) => one.path === path)?.text ?? `${path} ...`;
  const first = [...leading.keys()].map((word) => described(word, textOf(word)));
  const seconds = [...leading].flatMap(([word, list]) =>
    list.length > 0
      ? [`    ${word}) seconds=(${list.map((one) => described(one, textOf(`${word} ${one}`))).join(' ')}) ;;`]
      : [],
  );
  return `#compdef gbrain
# gbrain completion for zsh; written by: gbrain completion zsh
_gbrain_count() {
  local i
  at=0
  for ((i = from; i < CURRENT; i++)); do
    if (( \${taking[(Ie)\${words[i]}]} )); then
      ((i++))
    elif [[ \${words[i]} != -* ]]; then
      ((at++))
    fi
  done
}
_gbrain() {
  local one=\${words[2]} cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} path_ from=3 at=0
  local -a first seconds flags taking paths values places
  first=(${first.join(' ')})
  if (( CURRENT == 2 )); then
    _describe command first
    return
  fi
  case $one in
${seconds.join('\n')}
  esac
  path_=$one
  if (( CURRENT > 3 )) && [[ -n \${seconds[(r)\${words[3]}:*]} ]]; then
    path_="$one \${words[3]}"
    from=4
  fi
  case $path_ in
${commands.map(branch).join('\n')}
  esac
  if (( \${taking[(Ie)$prev]} )); then
    if (( \${paths[(Ie)$prev]} )); then
      _files
    elif (( \${#values} )); then
      compadd -a values
    fi
    return
  fi
  if [[ $cur == -* ]]; then
    _describe flag flags
    return
  fi
  if (( CURRENT == 3 && \${#seconds} )); then
    _describe command seconds
  fi
  if (( \${#places} )); then
    compadd -a places
  elif (( ! \${#seconds} )); then
    _files
  fi
}
if [[ \${funcstack[1]} == _gbrain ]]; then
  _gbrain "$@"
else
  compdef _gbrain gbrain
fi
`;
}
