// Codes of spend: a cap that does not reach, a model without a price. Source: facts/contract A.3, D.7.
import { formatCapUsd } from '@gbrain/wire/caps';
import { defineErrors, type FailData } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';
import { text } from '../../row-text.ts';
import { showUsd } from './prices.ts';

const usd = (data: FailData, key: string): string => showUsd(Number(data[key] ?? 0));

const amounts = (d: FailData): string =>
  `${usd(d, 'spentUsd')} of ${usd(d, 'capUsd')} is spent and the next call may cost ${usd(d, 'neededUsd')}`;

/** The same call under twice the cap; for calls that nobody repeats by hand, the setting that holds them. */
function capFix(d: FailData): FixSpec {
  const cap = formatCapUsd(Number(d.nextCapUsd ?? 0.25));
  if (Array.isArray(d.resumeArgv)) {
    return {
      argv: d.resumeArgv as string[],
      consent: ['paid'],
      estUsd: Number(cap),
      why: `What was done is kept; this goes on where it stopped, with at most $${cap}.`,
      userMessage: `The cap of ${usd(d, 'capUsd')} ran out. May I go on with at most $${cap}?`,
    };
  }
  return {
    call: { op: 'config_set', input: { key: 'spend.unattended_max_usd_per_day', value: cap } },
    only: 'cli',
    actor: 'user',
    why: `It lets calls that nobody agrees to one by one cost up to $${cap} a day.`,
    userMessage: `The day's cap of ${usd(d, 'capUsd')} for model calls is used up. Raise it to $${cap} if you want more today.`,
  };
}

/** The command that registers the price; embedding models and rerankers have one rate, chat models two. */
function priceFix(d: FailData): FixSpec {
  const model = text(d, 'model');
  const how = (what: string) => `US dollars for a million ${what} of ${model}, from its provider's price page`;
  const command = ['gbrain', 'pricing', 'set', model];
  const isChat = d.purpose === 'chat';
  return {
    argv: isChat ? [...command, '--input', '<input>', '--output', '<output>'] : [...command, '--rate', '<rate>'],
    inputs: isChat
      ? [
          { name: 'input', how: how('input tokens') },
          { name: 'output', how: how('output tokens') },
        ]
      : [{ name: 'rate', how: how('tokens') }],
    why: 'With the price registered the same call runs under the cap.',
    verify: { op: 'pricing_list', input: { model } },
  };
}

export default defineErrors({
  no_pricing: {
    class: 'unavailable',
    summary: 'The model has no known price and the cap is the user’s own, so nothing was called.',
    reasons: ['no_pricing'],
    message: (d) => `${text(d, 'model')} has no known price, so a cap in dollars cannot hold; nothing was called.`,
    suggestion: 'Look up the price of the model and register it.',
    why: 'Under a cap that the user set, a call whose cost cannot be told is never made.',
    fix: priceFix,
    example: { reason: 'no_pricing', model: 'compatible:my-model', purpose: 'embed', operation: 'embed' },
  },
  derived_cap_exhausted: {
    class: 'server',
    summary: 'The cap that was derived from the estimate is used up; what was done is kept.',
    message: (d) => `${text(d, 'operation')} stopped: ${amounts(d)}. What was done is kept.`,
    suggestion: 'Ask the user whether to go on.',
    why: 'The estimate was too low; the cap that follows from it holds all the same.',
    fix: capFix,
    example: {
      operation: 'embed',
      capUsd: 0.25,
      spentUsd: 0.24,
      neededUsd: 0.02,
      nextCapUsd: 0.5,
      resumeArgv: ['gbrain', 'embed', '--stale', '--max-usd', '0.50', '--yes'],
    },
  },
  cost_cap_exceeded: {
    class: 'server',
    summary: 'A cap is used up; what was done is kept.',
    message: (d) => `${text(d, 'operation')} stopped: ${amounts(d)}. What was done is kept.`,
    suggestion: 'Ask the user whether to go on.',
    why: 'A cap holds for everything that is paid under it, together with calls whose end was not heard of.',
    fix: capFix,
    example: { operation: 'query', capUsd: 5, spentUsd: 4.99, neededUsd: 0.02, nextCapUsd: 10, day: true },
  },
});
