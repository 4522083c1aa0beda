// Written by npm run generate from areas/*/*.op.ts; do not edit.
import type { Operation } from '../operation.ts';
import type { Registered } from '../registry.ts';
import configGet from '../areas/config/get.op.ts';
import configSet from '../areas/config/set.op.ts';
import configUnset from '../areas/config/unset.op.ts';
import contentExport from '../areas/content/export.op.ts';
import contentRewrite from '../areas/content/rewrite.op.ts';
import contentStatus from '../areas/content/status.op.ts';
import contentTake from '../areas/content/take.op.ts';
import contractCallTool from '../areas/contract/call-tool.op.ts';
import contractCompletion from '../areas/contract/completion.op.ts';
import contractErrors from '../areas/contract/errors.op.ts';
import contractGbrainStatus from '../areas/contract/gbrain-status.op.ts';
import contractHelp from '../areas/contract/help.op.ts';
import contractMuteNotice from '../areas/contract/mute-notice.op.ts';
import contractNoticesList from '../areas/contract/notices-list.op.ts';
import contractNoticesUnmute from '../areas/contract/notices-unmute.op.ts';
import contractRequestTools from '../areas/contract/request-tools.op.ts';
import contractVersion from '../areas/contract/version.op.ts';
import contractWhoami from '../areas/contract/whoami.op.ts';
import entitiesContextPack from '../areas/entities/context-pack.op.ts';
import entitiesDelta from '../areas/entities/delta.op.ts';
import entitiesEntity from '../areas/entities/entity.op.ts';
import evalRun from '../areas/eval/run.op.ts';
import extractionExtractFacts from '../areas/extraction/extract-facts.op.ts';
import extractionFactsDrain from '../areas/extraction/facts-drain.op.ts';
import factsFindContradictions from '../areas/facts/find-contradictions.op.ts';
import factsFindTrajectory from '../areas/facts/find-trajectory.op.ts';
import factsForgetFact from '../areas/facts/forget-fact.op.ts';
import factsForget from '../areas/facts/forget.op.ts';
import factsPurgeFact from '../areas/facts/purge-fact.op.ts';
import factsRecall from '../areas/facts/recall.op.ts';
import factsRemember from '../areas/facts/remember.op.ts';
import graphAddLink from '../areas/graph/add-link.op.ts';
import graphGetBacklinks from '../areas/graph/get-backlinks.op.ts';
import graphGetLinks from '../areas/graph/get-links.op.ts';
import graphLinkSources from '../areas/graph/link-sources.op.ts';
import graphOrphans from '../areas/graph/orphans.op.ts';
import graphRemoveLink from '../areas/graph/remove-link.op.ts';
import graphTraverse from '../areas/graph/traverse.op.ts';
import healthDiag from '../areas/health/diag.op.ts';
import healthFeatures from '../areas/health/features.op.ts';
import healthGetHealth from '../areas/health/get-health.op.ts';
import healthGetIdentity from '../areas/health/get-identity.op.ts';
import healthGetStats from '../areas/health/get-stats.op.ts';
import healthRemediate from '../areas/health/remediate.op.ts';
import healthRemediationPlan from '../areas/health/remediation-plan.op.ts';
import healthRunDoctor from '../areas/health/run-doctor.op.ts';
import healthRunOnboard from '../areas/health/run-onboard.op.ts';
import healthStatus from '../areas/health/status.op.ts';
import ingestGetLog from '../areas/ingest/get-log.op.ts';
import ingestImport from '../areas/ingest/import.op.ts';
import ingestLog from '../areas/ingest/log.op.ts';
import ingestSync from '../areas/ingest/sync.op.ts';
import modelsProvidersList from '../areas/models/providers-list.op.ts';
import pagesCapture from '../areas/pages/capture.op.ts';
import pagesDelete from '../areas/pages/delete.op.ts';
import pagesDerive from '../areas/pages/derive.op.ts';
import pagesEdit from '../areas/pages/edit.op.ts';
import pagesFetch from '../areas/pages/fetch.op.ts';
import pagesGet from '../areas/pages/get.op.ts';
import pagesList from '../areas/pages/list.op.ts';
import pagesPut from '../areas/pages/put.op.ts';
import pagesResolve from '../areas/pages/resolve.op.ts';
import pagesRestore from '../areas/pages/restore.op.ts';
import pagesRevert from '../areas/pages/revert.op.ts';
import pagesTag from '../areas/pages/tag.op.ts';
import pagesTags from '../areas/pages/tags.op.ts';
import pagesUntag from '../areas/pages/untag.op.ts';
import pagesVersions from '../areas/pages/versions.op.ts';
import protocolConformance from '../areas/protocol/conformance.op.ts';
import protocolSchemas from '../areas/protocol/schemas.op.ts';
import protocolStats from '../areas/protocol/stats.op.ts';
import searchAnomalies from '../areas/search/anomalies.op.ts';
import searchDiagnose from '../areas/search/diagnose.op.ts';
import searchEvidence from '../areas/search/evidence.op.ts';
import searchModes from '../areas/search/modes.op.ts';
import searchQuery from '../areas/search/query.op.ts';
import searchRebuild from '../areas/search/rebuild.op.ts';
import searchSalience from '../areas/search/salience.op.ts';
import searchSearch from '../areas/search/search.op.ts';
import searchStats from '../areas/search/stats.op.ts';
import serveServe from '../areas/serve/serve.op.ts';
import setupBootstrapHarness from '../areas/setup/bootstrap-harness.op.ts';
import setupInit from '../areas/setup/init.op.ts';
import sourcesAdd from '../areas/sources/add.op.ts';
import sourcesList from '../areas/sources/list.op.ts';
import sourcesRemove from '../areas/sources/remove.op.ts';
import sourcesStatus from '../areas/sources/status.op.ts';
import sourcesSyncStatus from '../areas/sources/sync-status.op.ts';
import spendGetUsage from '../areas/spend/get-usage.op.ts';
import spendPricingList from '../areas/spend/pricing-list.op.ts';
import spendPricingSet from '../areas/spend/pricing-set.op.ts';
import synthesisSynthesize from '../areas/synthesis/synthesize.op.ts';
import synthesisThink from '../areas/synthesis/think.op.ts';
import timelineAdd from '../areas/timeline/add.op.ts';
import timelineGet from '../areas/timeline/get.op.ts';
import transcriptsHookStop from '../areas/transcripts/hook-stop.op.ts';
import transcriptsIngest from '../areas/transcripts/ingest.op.ts';
import transcriptsRecent from '../areas/transcripts/recent.op.ts';
import transcriptsStatus from '../areas/transcripts/status.op.ts';
import vectorsEmbed from '../areas/vectors/embed.op.ts';
import writesCancelRequest from '../areas/writes/cancel-request.op.ts';
import writesGetRequest from '../areas/writes/get-request.op.ts';
import writesListRequests from '../areas/writes/list-requests.op.ts';

export const operations: readonly Registered<Operation>[] = [
  { area: 'config', file: 'get.op.ts', value: configGet },
  { area: 'config', file: 'set.op.ts', value: configSet },
  { area: 'config', file: 'unset.op.ts', value: configUnset },
  { area: 'content', file: 'export.op.ts', value: contentExport },
  { area: 'content', file: 'rewrite.op.ts', value: contentRewrite },
  { area: 'content', file: 'status.op.ts', value: contentStatus },
  { area: 'content', file: 'take.op.ts', value: contentTake },
  { area: 'contract', file: 'call-tool.op.ts', value: contractCallTool },
  { area: 'contract', file: 'completion.op.ts', value: contractCompletion },
  { area: 'contract', file: 'errors.op.ts', value: contractErrors },
  { area: 'contract', file: 'gbrain-status.op.ts', value: contractGbrainStatus },
  { area: 'contract', file: 'help.op.ts', value: contractHelp },
  { area: 'contract', file: 'mute-notice.op.ts', value: contractMuteNotice },
  { area: 'contract', file: 'notices-list.op.ts', value: contractNoticesList },
  { area: 'contract', file: 'notices-unmute.op.ts', value: contractNoticesUnmute },
  { area: 'contract', file: 'request-tools.op.ts', value: contractRequestTools },
  { area: 'contract', file: 'version.op.ts', value: contractVersion },
  { area: 'contract', file: 'whoami.op.ts', value: contractWhoami },
  { area: 'entities', file: 'context-pack.op.ts', value: entitiesContextPack },
  { area: 'entities', file: 'delta.op.ts', value: entitiesDelta },
  { area: 'entities', file: 'entity.op.ts', value: entitiesEntity },
  { area: 'eval', file: 'run.op.ts', value: evalRun },
  { area: 'extraction', file: 'extract-facts.op.ts', value: extractionExtractFacts },
  { area: 'extraction', file: 'facts-drain.op.ts', value: extractionFactsDrain },
  { area: 'facts', file: 'find-contradictions.op.ts', value: factsFindContradictions },
  { area: 'facts', file: 'find-trajectory.op.ts', value: factsFindTrajectory },
  { area: 'facts', file: 'forget-fact.op.ts', value: factsForgetFact },
  { area: 'facts', file: 'forget.op.ts', value: factsForget },
  { area: 'facts', file: 'purge-fact.op.ts', value: factsPurgeFact },
  { area: 'facts', file: 'recall.op.ts', value: factsRecall },
  { area: 'facts', file: 'remember.op.ts', value: factsRemember },
  { area: 'graph', file: 'add-link.op.ts', value: graphAddLink },
  { area: 'graph', file: 'get-backlinks.op.ts', value: graphGetBacklinks },
  { area: 'graph', file: 'get-links.op.ts', value: graphGetLinks },
  { area: 'graph', file: 'link-sources.op.ts', value: graphLinkSources },
  { area: 'graph', file: 'orphans.op.ts', value: graphOrphans },
  { area: 'graph', file: 'remove-link.op.ts', value: graphRemoveLink },
  { area: 'graph', file: 'traverse.op.ts', value: graphTraverse },
  { area: 'health', file: 'diag.op.ts', value: healthDiag },
  { area: 'health', file: 'features.op.ts', value: healthFeatures },
  { area: 'health', file: 'get-health.op.ts', value: healthGetHealth },
  { area: 'health', file: 'get-identity.op.ts', value: healthGetIdentity },
  { area: 'health', file: 'get-stats.op.ts', value: healthGetStats },
  { area: 'health', file: 'remediate.op.ts', value: healthRemediate },
  { area: 'health', file: 'remediation-plan.op.ts', value: healthRemediationPlan },
  { area: 'health', file: 'run-doctor.op.ts', value: healthRunDoctor },
  { area: 'health', file: 'run-onboard.op.ts', value: healthRunOnboard },
  { area: 'health', file: 'status.op.ts', value: healthStatus },
  { area: 'ingest', file: 'get-log.op.ts', value: ingestGetLog },
  { area: 'ingest', file: 'import.op.ts', value: ingestImport },
  { area: 'ingest', file: 'log.op.ts', value: ingestLog },
  { area: 'ingest', file: 'sync.op.ts', value: ingestSync },
  { area: 'models', file: 'providers-list.op.ts', value: modelsProvidersList },
  { area: 'pages', file: 'capture.op.ts', value: pagesCapture },
  { area: 'pages', file: 'delete.op.ts', value: pagesDelete },
  { area: 'pages', file: 'derive.op.ts', value: pagesDerive },
  { area: 'pages', file: 'edit.op.ts', value: pagesEdit },
  { area: 'pages', file: 'fetch.op.ts', value: pagesFetch },
  { area: 'pages', file: 'get.op.ts', value: pagesGet },
  { area: 'pages', file: 'list.op.ts', value: pagesList },
  { area: 'pages', file: 'put.op.ts', value: pagesPut },
  { area: 'pages', file: 'resolve.op.ts', value: pagesResolve },
  { area: 'pages', file: 'restore.op.ts', value: pagesRestore },
  { area: 'pages', file: 'revert.op.ts', value: pagesRevert },
  { area: 'pages', file: 'tag.op.ts', value: pagesTag },
  { area: 'pages', file: 'tags.op.ts', value: pagesTags },
  { area: 'pages', file: 'untag.op.ts', value: pagesUntag },
  { area: 'pages', file: 'versions.op.ts', value: pagesVersions },
  { area: 'protocol', file: 'conformance.op.ts', value: protocolConformance },
  { area: 'protocol', file: 'schemas.op.ts', value: protocolSchemas },
  { area: 'protocol', file: 'stats.op.ts', value: protocolStats },
  { area: 'search', file: 'anomalies.op.ts', value: searchAnomalies },
  { area: 'search', file: 'diagnose.op.ts', value: searchDiagnose },
  { area: 'search', file: 'evidence.op.ts', value: searchEvidence },
  { area: 'search', file: 'modes.op.ts', value: searchModes },
  { area: 'search', file: 'query.op.ts', value: searchQuery },
  { area: 'search', file: 'rebuild.op.ts', value: searchRebuild },
  { area: 'search', file: 'salience.op.ts', value: searchSalience },
  { area: 'search', file: 'search.op.ts', value: searchSearch },
  { area: 'search', file: 'stats.op.ts', value: searchStats },
  { area: 'serve', file: 'serve.op.ts', value: serveServe },
  { area: 'setup', file: 'bootstrap-harness.op.ts', value: setupBootstrapHarness },
  { area: 'setup', file: 'init.op.ts', value: setupInit },
  { area: 'sources', file: 'add.op.ts', value: sourcesAdd },
  { area: 'sources', file: 'list.op.ts', value: sourcesList },
  { area: 'sources', file: 'remove.op.ts', value: sourcesRemove },
  { area: 'sources', file: 'status.op.ts', value: sourcesStatus },
  { area: 'sources', file: 'sync-status.op.ts', value: sourcesSyncStatus },
  { area: 'spend', file: 'get-usage.op.ts', value: spendGetUsage },
  { area: 'spend', file: 'pricing-list.op.ts', value: spendPricingList },
  { area: 'spend', file: 'pricing-set.op.ts', value: spendPricingSet },
  { area: 'synthesis', file: 'synthesize.op.ts', value: synthesisSynthesize },
  { area: 'synthesis', file: 'think.op.ts', value: synthesisThink },
  { area: 'timeline', file: 'add.op.ts', value: timelineAdd },
  { area: 'timeline', file: 'get.op.ts', value: timelineGet },
  { area: 'transcripts', file: 'hook-stop.op.ts', value: transcriptsHookStop },
  { area: 'transcripts', file: 'ingest.op.ts', value: transcriptsIngest },
  { area: 'transcripts', file: 'recent.op.ts', value: transcriptsRecent },
  { area: 'transcripts', file: 'status.op.ts', value: transcriptsStatus },
  { area: 'vectors', file: 'embed.op.ts', value: vectorsEmbed },
  { area: 'writes', file: 'cancel-request.op.ts', value: writesCancelRequest },
  { area: 'writes', file: 'get-request.op.ts', value: writesGetRequest },
  { area: 'writes', file: 'list-requests.op.ts', value: writesListRequests },
];
