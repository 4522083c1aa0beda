// The completion script of fish: the same choices, each with what it is. Pure.
import { type CompletionCommand, leadingWords } from './completion-model.ts';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function flagLines(command: CompletionCommand): string[] {
  return command.flags.map(({ name, short, text, takesValue, values, isPath }) => {
    const words = [
      'complete -c gbrain',
      `-n ${quote(`__gbrain_at ${command.path}`)}`,
      `-l ${name.slice(2)}`,
      ...(short ? [`-s ${short.slice(1)}`] : []),
      ...(takesValue ? [isPath ? '-r -F' : '-x'] : []),
      ...(values.length > 0 ? [`-a ${quote(values.join(' '))}`] : []),
      ...(text ? [`-d ${quote(text)}`] : []),
    ];
    return words.join(' ');
  });
}

function placeLines({ path, flags, positionals }: CompletionCommand): string[] {
  const taking = flags
    .filter(({ takesValue }) => takesValue)
    .flatMap(({ name, short }) => (short ? [name, short] : [name]));
  return positionals.flatMap((words, i) =>
    words.length > 0
      ? [
          `complete -c gbrain -n ${quote(`__gbrain_place ${i} ${quote(taking.join(' '))} ${path}`)} ` +
            `-a ${quote(words.join(' '))}`,
        ]
      : [],
  );
}

/** The script; it goes into fish's folder of completions as gbrain.fish, or is sourced. */
export function fishScript(commands: readonly CompletionCommand[]): string {
  const leading = leadingWords(commands);
  const textOf = (path: string) => commands.find((one) => one.path === path)?.text;
  const line = (condition: string, word: string, text: string | undefined) =>
    `complete -c gbrain -n ${quote(condition)} -a ${quote(word)}${text ? ` -d ${quote(text)}` : ''}`;
  const first = [...leading.keys()].map((word) => line('__gbrain_words 0', word, textOf(word)));
  const seconds = [...leading].flatMap(([word, list]) =>
    list.map((one) => line(`__gbrain_words 1 ${word}`, one, textOf(`${word} ${one}`))),
  );
  const two = commands.filter(({ path }) => path.includes(' ')).map(({ path }) => quote(path));
  return `# gbrain completion for fish; written by: gbrain completion fish
# True when so many words stand before the one that is typed, beginning with these.
function __gbrain_words
  set -l tokens (commandline -opc)
  set -l wanted $argv[2..-1]
  test (math (count $tokens) - 1) -eq $argv[1]; or return 1
  set -l last (math (count $wanted) + 1)
  test (count $wanted) -eq 0; or test "$tokens[2..$last]" = "$wanted"
end
# True when the command line is of this command and not of a longer one.
function __gbrain_at
  set -l tokens (commandline -opc)
  set -l n (count $argv)
  set -l last (math $n + 1)
  test (count $tokens) -ge $last; or return 1
  test "$tokens[2..$last]" = "$argv"; or return 1
  if test $n -eq 1; and test (count $tokens) -gt 2
    contains -- "$tokens[2] $tokens[3]" ${two.join(' ')}; and return 1
  end
  return 0
end
# True when the word that is typed is this positional of the command; flags with a value are skipped.
function __gbrain_place
  set -l place $argv[1]
  set -l taking (string split ' ' -- $argv[2])
  set -l path $argv[3..-1]
  __gbrain_at $path; or return 1
  set -l tokens (commandline -opc)
  set -l at 0
  set -l skip 0
  set -l from (math (count $path) + 2)
  set -l rest
  test (count $tokens) -ge $from; and set rest $tokens[$from..-1]
  for token in $rest
    if test $skip -eq 1
      set skip 0
    else if contains -- $token $taking
      set skip 1
    else if not string match -q -- '-*' $token
      set at (math $at + 1)
    end
  end
  test $skip -eq 0; and test $at -eq $place
end
complete -c gbrain -f
${[...first, ...seconds, ...commands.flatMap((one) => [...flagLines(one), ...placeLines(one)])].join('\n')}
`;
}
