// The completion script of bash. Everything is in the script: completing a word starts no process. Pure.
import { type CompletionCommand, type CompletionFlag, leadingWords } from './completion-model.ts';

const quoted = (words: readonly string[]): string => `'${words.join(' ')}'`;

/** A `case` over keys; keys with the same words share a branch. */
function caseOf(variable: string, rows: readonly (readonly [key: string, words: readonly string[]])[]): string {
  const byWords = new Map<string, string[]>();
  for (const [key, words] of rows) {
    if (words.length > 0) byWords.set(quoted(words), [...(byWords.get(quoted(words)) ?? []), `'${key}'`]);
  }
  return [...byWords].map(([words, keys]) => `    ${keys.join('|')}) ${variable}=${words} ;;`).join('\n');
}

const namesOf = ({ name, short }: CompletionFlag): string[] => (short ? [name, short] : [name]);

/** The branches of the script: second words, flags, flags with a value, words of values and of positionals. */
function branches(commands: readonly CompletionCommand[]) {
  const seconds = [...leadingWords(commands)];
  const flags = commands.map((one) => [one.path, one.flags.flatMap(namesOf)] as const);
  const taking = commands.map(
    (one) => [one.path, one.flags.filter(({ takesValue }) => takesValue).flatMap(namesOf)] as const,
  );
  const valued = commands.flatMap(({ path, flags: own }) =>
    own.flatMap((flag) => namesOf(flag).map((name) => [`${path} ${name}`, flag.values] as const)),
  );
  const placed = commands.flatMap(({ path, positionals }) =>
    positionals.map((words, i) => [`${path} ${i}`, words] as const),
  );
  return {
    seconds: caseOf('seconds', seconds),
    flags: caseOf('flags', flags),
    taking: caseOf('taking', taking),
    valued: caseOf('values', valued),
    placed: caseOf('values', placed),
  };
}

/** The script; it is sourced by a shell, or put into its folder of completions. */
export function bashScript(commands: readonly CompletionCommand[]): string {
  const first = [...leadingWords(commands).keys()];
  const rows = branches(commands);
  return `# gbrain completion for bash; written by: gbrain completion bash
_gbrain() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local one="\${COMP_WORDS[1]}" path='' seconds='' flags='' taking='' values='' from=2 at=0 i
  COMPREPLY=()
  case "$one" in
${rows.seconds}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    [[ $cur == -* ]] && values='--help --version' || values=${quoted(first)}
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
    return
  fi
  if [[ -n $seconds && " $seconds " == *" \${COMP_WORDS[2]} "* && $COMP_CWORD -gt 2 ]]; then
    path="$one \${COMP_WORDS[2]}"
    from=3
  else
    path="$one"
  fi
  case "$path" in
${rows.flags}
  esac
  case "$path" in
${rows.taking}
  esac
  if [[ " $taking " == *" $prev "* ]]; then
    case "$path $prev" in
${rows.valued}
    esac
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
    return
  fi
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    return
  fi
  for ((i = from; i < COMP_CWORD; i++)); do
    if [[ " $taking " == *" \${COMP_WORDS[i]} "* ]]; then
      ((i++))
    elif [[ \${COMP_WORDS[i]} != -* ]]; then
      ((at++))
    fi
  done
  case "$path $at" in
${rows.placed}
  esac
  if [[ $COMP_CWORD -eq 2 && -n $seconds ]]; then
    values="$seconds $values"
  fi
  COMPREPLY=($(compgen -W "$values" -- "$cur"))
}
complete -o default -F _gbrain gbrain
`;
}
