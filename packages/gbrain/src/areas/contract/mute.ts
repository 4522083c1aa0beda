// Muting, the same for the owner's commands and for the MCP tool: which codes may be muted, and for whom.
import { closest } from '@gbrain/wire/did-you-mean';
import { isMuteable } from '@gbrain/wire/notice-ledger';
import type { Context } from '../../context.ts';
import { mutedFor, readMuted, writeMuted } from '../../home/muted.ts';

const withOrWithout = (codes: readonly string[], code: string, isIn: boolean): string[] => {
  const rest = codes.filter((one) => one !== code);
  return isIn ? [...rest, code].sort() : rest;
};

/** Mutes or unmutes a code for an audience (`global`, `stdio`, a client id). The owner's unmute clears stdio's too. */
export async function setMuted(ctx: Context<string>, audience: string, code: string, muted: boolean) {
  const { registry, home } = ctx.host;
  const muteable = [...registry.notices].filter(([name, { kind }]) => isMuteable(name, kind)).map(([name]) => name);
  if (!muteable.includes(code)) {
    const near = closest(code, muteable);
    ctx.fail('invalid_params', {
      tool: 'mute_notice',
      param: 'code',
      problem: 'choice',
      given: code.slice(0, 60),
      choices: muteable,
      ...(near && { corrected: { code: near, ...(!muted && { muted }) } }),
      ...(!near && {
        fix: { call: { op: 'notices_list', input: {} }, why: 'It lists the codes, and which can be muted.' },
      }),
    });
  }
  const lists = await readMuted(home);
  const isOwner = audience === 'global';
  if (isOwner) lists.global = withOrWithout(lists.global, code, muted);
  if (!isOwner || !muted) {
    const client = isOwner ? 'stdio' : audience;
    lists.clients[client] = withOrWithout(lists.clients[client] ?? [], code, muted && !isOwner);
  }
  await writeMuted(home, lists);
  return {
    code,
    muted,
    scope: isOwner || audience === 'stdio' ? 'owner' : 'client',
    muted_codes: [...mutedFor(lists, audience)],
  };
}
