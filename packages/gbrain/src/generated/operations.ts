// Written by npm run generate from areas/*/*.op.ts; do not edit.
import type { Operation } from '../operation.ts';
import type { Registered } from '../registry.ts';
import configGet from '../areas/config/get.op.ts';
import configSet from '../areas/config/set.op.ts';
import configUnset from '../areas/config/unset.op.ts';
import contractCallTool from '../areas/contract/call-tool.op.ts';
import contractErrors from '../areas/contract/errors.op.ts';
import contractGbrainStatus from '../areas/contract/gbrain-status.op.ts';
import contractHelp from '../areas/contract/help.op.ts';
import contractMuteNotice from '../areas/contract/mute-notice.op.ts';
import contractNoticesList from '../areas/contract/notices-list.op.ts';
import contractNoticesUnmute from '../areas/contract/notices-unmute.op.ts';
import contractRequestTools from '../areas/contract/request-tools.op.ts';
import contractVersion from '../areas/contract/version.op.ts';
import pagesGet from '../areas/pages/get.op.ts';
import pagesList from '../areas/pages/list.op.ts';
import pagesPut from '../areas/pages/put.op.ts';
import serveServe from '../areas/serve/serve.op.ts';
import setupInit from '../areas/setup/init.op.ts';

export const operations: readonly Registered<Operation>[] = [
  { area: 'config', file: 'get.op.ts', value: configGet },
  { area: 'config', file: 'set.op.ts', value: configSet },
  { area: 'config', file: 'unset.op.ts', value: configUnset },
  { area: 'contract', file: 'call-tool.op.ts', value: contractCallTool },
  { area: 'contract', file: 'errors.op.ts', value: contractErrors },
  { area: 'contract', file: 'gbrain-status.op.ts', value: contractGbrainStatus },
  { area: 'contract', file: 'help.op.ts', value: contractHelp },
  { area: 'contract', file: 'mute-notice.op.ts', value: contractMuteNotice },
  { area: 'contract', file: 'notices-list.op.ts', value: contractNoticesList },
  { area: 'contract', file: 'notices-unmute.op.ts', value: contractNoticesUnmute },
  { area: 'contract', file: 'request-tools.op.ts', value: contractRequestTools },
  { area: 'contract', file: 'version.op.ts', value: contractVersion },
  { area: 'pages', file: 'get.op.ts', value: pagesGet },
  { area: 'pages', file: 'list.op.ts', value: pagesList },
  { area: 'pages', file: 'put.op.ts', value: pagesPut },
  { area: 'serve', file: 'serve.op.ts', value: serveServe },
  { area: 'setup', file: 'init.op.ts', value: setupInit },
];
