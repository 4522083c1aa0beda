// Written by npm run generate from areas/*/*.op.ts; do not edit.
import type { Operation } from '../operation.ts';
import type { Registered } from '../registry.ts';
import configGet from '../areas/config/get.op.ts';
import configSet from '../areas/config/set.op.ts';
import configUnset from '../areas/config/unset.op.ts';
import contractCall from '../areas/contract/call.op.ts';
import contractErrors from '../areas/contract/errors.op.ts';
import contractHelp from '../areas/contract/help.op.ts';
import contractNoticesList from '../areas/contract/notices-list.op.ts';
import contractNoticesMute from '../areas/contract/notices-mute.op.ts';
import contractNoticesUnmute from '../areas/contract/notices-unmute.op.ts';
import contractVersion from '../areas/contract/version.op.ts';
import pagesGet from '../areas/pages/get.op.ts';
import pagesList from '../areas/pages/list.op.ts';
import pagesPut from '../areas/pages/put.op.ts';
import setupInit from '../areas/setup/init.op.ts';

export const operations: readonly Registered<Operation>[] = [
  { area: 'config', file: 'get.op.ts', value: configGet },
  { area: 'config', file: 'set.op.ts', value: configSet },
  { area: 'config', file: 'unset.op.ts', value: configUnset },
  { area: 'contract', file: 'call.op.ts', value: contractCall },
  { area: 'contract', file: 'errors.op.ts', value: contractErrors },
  { area: 'contract', file: 'help.op.ts', value: contractHelp },
  { area: 'contract', file: 'notices-list.op.ts', value: contractNoticesList },
  { area: 'contract', file: 'notices-mute.op.ts', value: contractNoticesMute },
  { area: 'contract', file: 'notices-unmute.op.ts', value: contractNoticesUnmute },
  { area: 'contract', file: 'version.op.ts', value: contractVersion },
  { area: 'pages', file: 'get.op.ts', value: pagesGet },
  { area: 'pages', file: 'list.op.ts', value: pagesList },
  { area: 'pages', file: 'put.op.ts', value: pagesPut },
  { area: 'setup', file: 'init.op.ts', value: setupInit },
];
