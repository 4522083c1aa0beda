// The echo loop: answers with what the user said. For trying an installation and measuring Brain itself.
import type { Block, Message } from '@gbrain/brain-protocol/message';
import type { HarnessOptions } from './harness.ts';
import { toUserMessage } from './loop/user-message.ts';

/** A harness that calls no model and no tool. */
export const echoHarness: HarnessOptions = {
  name: 'brain-echo',
  version: '1',
  stateVersion: 1,
  configurationSchema: { type: 'object', additionalProperties: false },
  async run({ input, pendingEvents, transcript, setTranscript, emit }) {
    const asked = toUserMessage(input, pendingEvents);
    const message: Message = { role: 'assistant', content: asked.content.filter(isText) };
    const saved = setTranscript([...transcript, asked, message]);
    await Promise.all([saved, emit('output_emitted', { type: 'assistant_message', message })]);
  },
};

function isText(block: Block): boolean {
  return block.type === 'text';
}
