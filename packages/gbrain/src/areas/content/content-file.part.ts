// Marks pages whose files in the content directory have to follow: written, deleted, restored, moved.
import { definePart } from '../../part.ts';
import { markPages } from './projection.sql.ts';

export default definePart<null>({
  name: 'content-file',
  summary: 'The file of a page in the content directory, where its source has one.',
  requirement: 'facts/contract J.1; design/architecture section 4',
  derive: () => null,
  write: () => [],
  touch: (pages) => [markPages(pages)],
});
