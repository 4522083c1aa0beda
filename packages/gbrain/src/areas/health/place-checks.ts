// Which checks open no brain, known without loading any: a printed command of them names none. A test holds it true.

/** Names of the checks that read files, settings and processes only. */
export const PLACE_CHECKS: readonly string[] = [
  'agent_contract',
  'chat_fallback_chain',
  'chat_llm',
  'configuration',
  'disk_space',
  'embeddings',
  'harness_wiring',
  'memory_writeback',
  'owner_process',
  'pglite_data_dir',
  'runtime',
  'stale_locks',
  'temporary_files',
  'tool_surface',
];

/** Their readiness rows, which `--only` takes as names too. */
const PLACE_CAPABILITIES: readonly string[] = ['writeback'];

/** Names that the words of a command line give to `--only`; undefined without that flag. */
function namesOf(words: readonly string[]): string[] | undefined {
  const end = words.indexOf('--');
  const flags = end === -1 ? words : words.slice(0, end);
  const found = flags.flatMap((word, i) => {
    if (word === '--only') return (flags[i + 1] ?? '').split(',');
    return word.startsWith('--only=') ? word.slice('--only='.length).split(',') : [];
  });
  return flags.some((word) => word === '--only' || word.startsWith('--only=')) ? found : undefined;
}

/** Whether a doctor command line opens the brain: without `--only`, or when a named check needs it. */
export function doctorOpensBrain(words: readonly string[]): boolean {
  const names = namesOf(words);
  return !names || names.some((name) => !PLACE_CHECKS.includes(name) && !PLACE_CAPABILITIES.includes(name));
}
