// Sentences of a person’s page that state nothing of that person: denied, over, wished, asked, or of somebody else.

import { describe } from 'vitest';
import { checkProse } from './made-brain.fixture.ts';

describe('what a person’s page does not say of its person', () => {
  checkProse(
    'people/alice-example',
    String.raw`
      Alice does not work at {Acme}.
      Alice is no longer at {Acme}.
      Alice left {Acme} in 2020.
      Alice joined {Acme} in 2015 and left in 2018.
      She left {Acme}. She had joined {Acme} early.
      Formerly a designer at {Acme}.
      Alice is a former engineer at {Acme}.
      Alice was an engineer at {Acme}.
      Alice worked at {Acme} for six years.
      Alice was an engineer at {Acme} from 2010 to 2015.
      Engineer at {Acme} (2010-2015).
      Ex-CTO of {Acme}.
      She used to work at {Acme}.
      Previously, she was head of sales at {Acme}.
      Alice might join {Acme}.
      We hope Alice will join {Acme}.
      Alice declined an offer from {Acme}.
      Is Alice an engineer at {Acme}?
      Alice would be a good product manager at {Acme}.
      Her brother is an engineer at {Acme}.
      Her husband Tom works at {Acme}.
      Alice met a senior engineer at {Acme}.
      A senior engineer at {Acme} told us about it.
      The team at {Acme} shared a template.
      Several people at {Acme} know her.
      Alice spoke with engineers at {Acme}.
      We compared notes with {Acme} and found nothing.
      We should ask {Acme} whether they would join a trial in Turin.
      Alice joined {Acme} for a call about pricing.
      Alice joined {Acme}’s board.
      Alice joined {Acme} as an adviser.
      Alice is a customer at {Acme}.
      Alice is interviewing for an engineer position at {Acme}.
      Alice applied to be a designer at {Acme}.
      The lesson from {Acme} was to start small.
      Tom Smith is the CTO of {Acme}. He likes Alice.
      Alice works with {Bob} on pricing.
      Alice is a friend of {Bob}, who likes tea.
      Alice is the aspiring head of sales at {Acme}.
      Alice works on {Apollo}.
      Alice is a manager at {Lisbon}’s port.
      ## Previous roles\n\n- Engineer at {Acme}\n- Designer at {Beta}
      Alice reports to the CEO of {Acme}.
      Alice wants to become CTO of {Acme}.
      Looking for a data engineer at {Acme}.
      Alice thinks {Acme} needs a new CTO.
      Alice lives near {Acme}.
      Tom Example is a lawyer at {Acme}.
      Alice founded the foundation that gave {Acme} a grant.
      Alice found {Acme} useful.
      Alice invested a lot of time in {Apollo}.
      Alice was formerly an adviser to {Acme}.
      Alice advised {Acme} on its merger in 2014.
      Alice advises {Bob} to wait.
      Alice passed on investing in {Acme}.
      Alice is a potential investor in {Acme}.
      Alice talked to the founder of {Acme}.
      Alice is married to the founder of {Acme}.
      Her sister founded {Acme}.
      Alice knows an investor in {Acme}.
      - **2024-05-06** | Email — {Sync} was moved.
      She serves on the board of {Acme}.
      Alice is a board member at {Acme}.
      Alice moved from {Acme} to {Beta} in 2023.
      Alice oversees hiring for {Acme}.
      Until 2020 Alice worked at {Acme}.
      Alice was laid off from {Acme}.
      Alice retired from {Acme}.
      Alice will start at {Acme} in May.
      Alice starts at {Acme} in May.
      Alice turned down a job at {Acme}.
      Alice negotiated with the head of sales at {Acme}.
      Alice was introduced by an engineer at {Acme}.
      Met at {Offsite} through {Bob}.
      Alice missed {Offsite}.
      Alice presented the roadmap at {Offsite}.
      Alice could not attend {Offsite}.
      Alice is expected to attend {Offsite}.
      Alice co-invested with {Bob} in {Acme}.
      Alice sold her stake in {Acme}.
      Alice is raising money for {Acme}.
      Alice advises startups such as {Acme}.
      Alice was advised by {Bob} during her thesis.
      Alice asked {Bob} for advice on {Acme}.
      Alice and the CEO of {Acme} are old friends.
      Alice’s team at {Acme} shipped the release.
      She is not an investor in {Acme}.
      She is neither founder nor investor of {Acme}.
      She thought about joining {Acme}.
      She was rumoured to have joined {Acme}.
      Rumour has it that Alice joined {Acme}.
      Alice would have joined {Acme} if asked.
      Alice is a big fan of {Acme}.
      Alice is a client of {Acme}.
      Alice bought a pump from {Acme}.
      Alice runs marathons and once visited {Acme}.
      Alice manages the {Acme} account at {Beta}.
      Alice works closely with the team at {Acme}.
      Alice works with {Acme} on the trial.
      Alice is working with {Acme}.
      Alice is at {Acme} today for a visit.
      Alice was at {Acme} yesterday.
      Alice studied at {Acme}.
      - 2015–2019: Engineer at {Acme}
      Bob Smith works at {Acme}.
      My friend works at {Acme}.
      I work at {Acme}.
      We work at {Acme}.
      They asked whether Alice works at {Acme}.
      Nobody at {Acme} knew that Alice had left.
      Alice is a guest at {Acme}.
      Alice is a regular speaker at {Acme}.
      Alice ran {Acme} for ten years.
      Alice quit as CTO of {Acme}.
      Alice stepped down as CEO of {Acme}.
      Alice resigned as head of sales at {Acme}.
      Alice is about to join {Acme}.
      Alice left {Beta} in 2019 to found {Acme}.
      Alice says {Acme} is hiring.
      Alice recommended {Bob} to {Acme}.
      Alice pitched {Vega} on behalf of {Acme}.
      Alice is negotiating a contract with {Acme}.
      Alice wants {Acme} to invest in {Beta}.
      Alice was not at {Sync}.
      Alice's assistant attended {Sync}.
      Alice will attend {Sync}.
      Alice organised {Offsite}.
      On leave from {Acme}.
      Alice consulted for {Acme} in 2016.
      Alice is an intern at {Acme} until August.
      Alice has known {Bob} since they worked at {Acme}.
      Alice accepted an offer from {Acme}.
      Alice is moving to {Acme} next month.
      {Bob} hired Alice at {Acme}.
      Alice is CEO-in-residence at {Vega}.
      Alice is {Bob}'s manager at {Acme}.
      Alice is the head of {Acme}'s Lisbon office.
      Teaches a class at {Acme}.
      Alice, along with the head of sales at {Acme}, wrote the memo.
      Alice spoke to an investor in {Acme}.
      Alice said that the CTO of {Acme} was leaving.
      Alice co-wrote a paper with a researcher at {Acme}.
      Alice is the wife of the founder of {Acme}.
      Alice is the founder's sister at {Acme}.
      Alice has worked at {Acme} and {Beta}.
      Alice was named CTO of {Acme} in 2015 and left two years later.
      Alice was appointed to the board of {Acme}.
      Alice works alongside {Bob} at {Acme}.
      Alice is an alumna of {Acme}.
      Alice is on the {Acme} team.
      Alice is the person to call at {Acme}.
      Alice is my contact at {Acme}.
      Alice and her brother founded {Acme}.
      Alice helped {Bob} found {Acme}.
      Alice was among the founders of {Acme}.
      Alice wants to invest in {Acme}.
      Alice was asked to invest in {Acme}.
      Alice decided against investing in {Acme}.
      Alice regrets not investing in {Acme}.
      Alice exited {Acme} in 2020.
      Alice gives advice to {Acme} now and then.
      Alice stopped advising {Acme}.
      Alice no longer advises {Acme}.
      Alice advises the founders of {Acme}.
    `,
  );
});
