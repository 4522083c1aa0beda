// What sentences of company and meeting pages state, case by case: the sentence, then its edges.

import { describe } from 'vitest';
import { checkProse } from './made-brain.fixture.ts';

describe('on a company’s page', () => {
  checkProse(
    'companies/acme',
    String.raw`
      Acme is a company in Taipei. It was founded by {Bob} and {Carol}. => bob founded acme, carol founded acme
      Founded in 2012 by {Bob}. => bob founded acme
      Acme is a small company founded by {Bob}. => bob founded acme
      The company was started by {Bob}. => bob founded acme
      {Bob} founded the company in 2012. => bob founded acme
      {Bob} is the CEO. => bob works_at acme
      Our CEO {Bob} agreed. => bob works_at acme
      CTO: {Carol} => carol works_at acme
      {Bob} (CEO) and {Carol} (CTO) came. => bob works_at acme, carol works_at acme
      Founders: {Bob}, {Carol} => bob founded acme, carol founded acme
      ## Team\n\n- {Bob}, CEO\n- {Carol} — design => bob works_at acme, carol works_at acme
      ## Investors\n\n- {Vega}\n- {Bob} => vega-fund invested_in acme, bob invested_in acme
      Acme raised a $5M seed round led by {Vega}. => vega-fund led_round acme
      Backed by {Vega}, {Bob} and others. => vega-fund invested_in acme, bob invested_in acme
      {Vega} invested in Acme in 2020. => vega-fund invested_in acme
      Acme hired {Bob} in May. => bob works_at acme
      {Bob} joined the company as CFO. => bob works_at acme
      Acme is led by {Bob}. => bob works_at acme
      Acme is advised by {Bob}. => bob advises acme
      {Bob} is a former CEO. =>
      {Bob} left the company in 2020. =>
      {Bob} raised a concern about margins. =>
      Main competitors: {Beta}, {Core}. =>
      {Bob} offered to draft a summary. =>
      Acme acquired {Beta}, which was founded by {Bob}. => bob founded beta
      Acme competes with {Beta}, a startup backed by {Vega}. => vega-fund invested_in beta
      The founders are {Bob} and {Carol}. => bob founded acme, carol founded acme
      The founder, {Bob}, still runs sales. => bob founded acme
      Its founder is {Bob}. => bob founded acme
      Investors include {Vega} and {Bob}. => vega-fund invested_in acme, bob invested_in acme
      Its investors are {Vega} and {Bob}. => vega-fund invested_in acme, bob invested_in acme
      Acme closed a seed round from {Vega}. => vega-fund invested_in acme
      {Vega} led the seed round. => vega-fund led_round acme
      Series A led by {Vega}, with participation from {Bob}. => vega-fund led_round acme
      {Bob} runs engineering at Acme. => bob works_at acme
      {Bob}, our head of sales, called. => bob works_at acme
      {Bob} is the new head of sales. => bob works_at acme
      The CEO, {Bob}, resigned. =>
      CEO {Bob} and CTO {Carol} came. => bob works_at acme, carol works_at acme
      {Bob} advises the company. => bob advises acme
      {Bob} is an adviser to Acme. => bob advises acme
      Advisors: {Bob} => bob advises acme
      {Bob}, CEO of {Beta}, is a customer. => bob works_at beta
      Customers: {Beta}. Contact there: {Bob}. =>
      It was acquired by {Beta}. =>
      {Bob} of {Beta} introduced us. =>
      Acme is not backed by {Vega}. =>
      Talks with {Vega} about leading the round. =>
      Formerly led by {Bob}. =>
      Key people:\n\n- CEO: {Bob}\n- CFO: {Carol} => bob works_at acme, carol works_at acme
      |Role|Name|\n|---|---|\n| CEO | {Bob} |\n| Investor | {Vega} | => bob works_at acme, vega-fund invested_in acme
      Main contacts: {Bob}, {Carol}. =>
      {Bob} joined as CTO in 2021. => bob works_at acme
      {Bob} was the first employee. =>
      Acme makes pumps. {Bob} and {Carol} started it in 2014. => bob founded acme, carol founded acme
      Acme was spun out of {Beta} by {Bob}.
      {Bob} has been CEO since 2019. => bob works_at acme
      {Bob}, co-founder and CEO, runs sales. => bob founded acme, bob works_at acme
      In 2021 {Vega} led a $12M Series A. => vega-fund led_round acme
      {Vega} and {Bob} invested in the seed. => vega-fund invested_in acme, bob invested_in acme
      Raised $3M from {Vega} in 2020. => vega-fund invested_in acme
      The board consists of {Bob} and {Carol}.
      Contact: {Bob}
      Our contact there is {Bob}.
      Spoke to {Bob}, VP of sales. => bob works_at acme
      Spoke to {Bob} (VP of sales). => bob works_at acme
      {Bob} left in 2020.
      {Bob} resigned as CEO.
      {Bob} joined from {Beta}.
      {Bob} joined Acme from {Beta} in 2018. => bob works_at acme
      Competitor of {Beta}, founded by {Bob}. => bob founded beta
      Acme invested in {Beta}. => invested_in beta
      Acme was founded in Lisbon in 2012 by {Bob}, a former engineer at {Beta}. => bob founded acme
      Acme's founders, {Bob} and {Carol}, met at {Beta}. => bob founded acme, carol founded acme
      {Bob} founded Acme after leaving {Beta}. => bob founded acme
      Acme, founded by {Bob} in 2009, makes pumps. => bob founded acme
      The company, which was founded by {Bob}, makes pumps. => bob founded acme
      {Bob} and {Carol} are the founders. => bob founded acme, carol founded acme
      {Bob} is a co-founder. => bob founded acme
      Founder {Bob} runs sales. => bob founded acme
      {Bob} is on the board.
      {Bob} works for Acme as a designer. => bob works_at acme
      {Bob} is a designer at Acme. => bob works_at acme
      Acme employs {Bob}. => bob works_at acme
      Acme promoted {Bob} to CTO. => bob works_at acme
      Acme let {Bob} go.
      Acme is looking to hire {Bob}.
      Early investors: {Vega}, {Bob}. => vega-fund invested_in acme, bob invested_in acme
      Acme received funding from {Vega}. => vega-fund invested_in acme
      Acme secured $2 million from {Vega}. => vega-fund invested_in acme
      {Vega} owns 20% of Acme. => vega-fund invested_in acme
      Acme bought parts from {Beta}.
      Acme raised prices after advice from {Bob}.
      Acme raised a concern from {Bob}.
    `,
  );
});

describe('on a meeting’s page', () => {
  checkProse(
    'meetings/sync',
    String.raw`
      Held on May 6, 2024 with {Acme}. Attendees: {Bob}, {Carol}. => bob attended sync, carol attended sync
      **Attendees:** {Bob} (CEO, {Acme}), {Carol} from {Beta} => bob attended sync, carol attended sync
      ## Attendees\n\n- {Bob}\n- {Carol}, {Acme}\n\n## Notes\n\n- {Dan} => bob attended sync, carol attended sync
      | Attendees | {Bob}, {Carol} |\n|---|---| => bob attended sync, carol attended sync
      Present: {Bob}. Absent: {Carol}. => bob attended sync
      Participants: {Bob}, {Carol} (absent: {Dan}) => bob attended sync, carol attended sync
      参会人员：{Bob}、{Carol} => bob attended sync, carol attended sync
      {Bob} raised a concern about {Acme}. Action: {Carol} to circulate the notes. =>
      Attended by {Bob} and {Carol}. => bob attended sync, carol attended sync
      Discussed {Dan}, who works at {Acme}. => dan works_at acme
    `,
  );
});
