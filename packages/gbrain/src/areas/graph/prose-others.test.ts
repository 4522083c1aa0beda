// What sentences state of others than their page, and what Chinese ones do: the sentence, then its edges.

import { describe } from 'vitest';
import { checkProse } from './made-brain.fixture.ts';

describe('on a note, of others', () => {
  checkProse(
    'notes/plain',
    String.raw`
      {Bob} works at {Acme}. => bob works_at acme
      {Bob} joined {Acme} as CTO. => bob works_at acme
      {Bob}, a designer at {Acme}, called. => bob works_at acme
      Spoke with {Bob} (CTO at {Acme}) and {Carol} (head of data at {Beta}). => bob works_at acme, carol works_at beta
      {Acme} CEO {Bob} agreed. => bob works_at acme
      {Acme}’s head of sales, {Bob}, agreed. => bob works_at acme
      {Bob} is {Acme}’s CTO. => bob works_at acme
      {Bob} and {Carol} are engineers at {Acme}. => bob works_at acme, carol works_at acme
      {Bob} and {Carol} founded {Acme} in 2012. => bob founded acme, carol founded acme
      {Bob}, who founded {Acme}, now advises {Beta}. => bob founded acme, bob advises beta
      {Bob} is great. He founded {Acme}. => bob founded acme
      {Bob} met {Carol}. She founded {Acme}. => bob founded acme
      {Acme} was founded by {Bob}. => bob founded acme
      {Acme}, a robotics startup founded by {Bob} and {Carol}, grew. => bob founded acme, carol founded acme
      {Vega} invested in {Acme}. => vega-fund invested_in acme
      {Vega} led the seed round of {Acme}. => vega-fund led_round acme
      {Vega} led {Acme}’s Series A. => vega-fund led_round acme
      {Acme} raised $5M from {Vega} and {Bob}. => vega-fund invested_in acme, bob invested_in acme
      {Acme} is backed by {Vega}. => vega-fund invested_in acme
      {Acme} hired {Bob} as CTO. => bob works_at acme
      In {Lisbon}, {Bob} founded {Acme}. => bob founded acme
      The CEO of {Acme} founded {Beta}. =>
      {Bob} of {Acme} founded {Beta}. => bob founded beta
      {Bob} said {Carol} founded {Acme}. => carol founded acme
      We heard that {Bob} left {Acme} to found {Beta}. =>
      {Bob} founded {Acme} and {Beta} acquired it. => bob founded acme
      {Bob} did not invest in {Acme}. =>
      {Bob} never invested in {Acme}. =>
      {Bob} is considering investing in {Acme}. =>
      If {Bob} invests in {Acme}, we follow. =>
      {Bob} invested in {Acme} or {Beta}. => bob invested_in acme
      {Bob} raised a concern about margins and asked for an answer from {Acme}. =>
      {Bob} and {Carol} will pair on pricing for {Acme}. =>
      {Bob} introduced {Carol} to {Acme}. =>
      {Bob} backed {Carol}. =>
      {Bob} started {Apollo}. =>
      {Bob} attended {Sync}. => bob attended sync
      {Bob} and {Carol} joined {Sync} late. => bob attended sync, carol attended sync
      {Bob} did not attend {Sync}. =>
      {Bob} is an angel investor in {Acme}, {Beta} and others. => bob invested_in acme, bob invested_in beta
      {Bob} advises {Acme}, while {Carol} runs {Beta}. => bob advises acme, carol works_at beta
      {Bob}, formerly CTO of {Acme}, joined {Beta}. => bob works_at beta
      Former {Acme} CEO {Bob} agreed. =>
      {Bob} quit {Acme} and joined {Beta}. => bob works_at beta
      | {Bob} | CTO at {Acme} |\n|---|---| => bob works_at acme
      Lunch with {Bob} from {Acme}. =>
      {Bob} told {Carol} that {Dan} joined {Acme}. => dan works_at acme
      {Bob} (ex-{Acme}) now runs {Beta}. => bob works_at beta
      {Bob}, an early investor in {Acme}, and {Carol}, its CTO, argued. => bob invested_in acme
      {Acme} and {Beta} were both founded by {Bob}. => bob founded acme, bob founded beta
      {Acme} (founded by {Bob}) grew. => bob founded acme
      {Acme} was co-founded in 2015 by {Bob} and {Carol}. => bob founded acme, carol founded acme
      {Bob}’s company {Acme} grew. =>
      {Bob}’s startup, {Acme}, raised money from {Vega}. => vega-fund invested_in acme
      {Acme}, where {Bob} works, grew. =>
      {Bob}, {Carol} and {Dan} are advisers to {Acme}. => bob advises acme, carol advises acme, dan advises acme
      {Dan} has invested in {Acme}, {Beta} and {Core}.
      => dan invested_in acme, dan invested_in beta, dan invested_in core
      {Vega} participated in {Acme}’s Series B. => vega-fund invested_in acme
      {Bob} founded {Acme}; {Carol} founded {Beta}. => bob founded acme, carol founded beta
      {Bob} founded {Acme}, {Carol} founded {Beta}. => bob founded acme, carol founded beta
      {Bob} works at {Acme} and {Carol} works at {Beta}. => bob works_at acme, carol works_at beta
      {Bob} joined {Acme} from {Beta}. => bob works_at acme
      {Bob} introduced us to the founder of {Acme}, {Carol}. => carol founded acme
      {Bob} will join {Acme}. =>
      {Acme} wants to hire {Bob}. =>
      {Acme} tried to hire {Bob} but he joined {Beta}. => bob works_at beta
      {Acme} fired {Bob}. =>
      {Bob} sold {Acme} to {Beta}. =>
      {Bob} hired {Carol}. =>
      {Acme} is led by {Bob}. => bob works_at acme
      See {Bob} and {Acme}. =>
      {Acme}: founded by {Bob}, backed by {Vega}. => bob founded acme, vega-fund invested_in acme
      - {Bob} — CTO, {Acme} => bob works_at acme
      - {Bob} — CTO at {Acme} => bob works_at acme
      - {Bob}: engineer at {Acme} => bob works_at acme
      1. {Bob} ({Acme}) =>
      The pilot with {Acme} was run by {Bob}. =>
      {Bob} visited {Acme} and met its CTO {Carol}. =>
      Both {Bob} and {Carol} work for {Acme}. => bob works_at acme, carol works_at acme
      {Bob} seems to work at {Acme}. =>
      {Bob}, not {Carol}, founded {Acme}. => bob founded acme
      Contrary to rumours, {Bob} never worked at {Acme}. =>
      {Bob} emailed {Acme} about {Apollo}, which {Carol} started. =>
      Notes from {Offsite}: {Bob} attended, {Carol} did not. =>
      {Bob} from {Acme} and {Carol} from {Beta} argued about pricing.
      {Bob} is at {Acme} now; {Carol} stayed at {Beta}. => bob works_at acme
      {Bob}, {Acme}'s founder, thinks {Vega} will pass. => bob founded acme
      {Bob} left {Acme} for {Beta}.
      {Bob} wants to know whether {Vega} invested in {Acme}.
      I doubt that {Vega} invested in {Acme}.
      Apparently {Vega} has invested in {Acme}. => vega-fund invested_in acme
      {Bob} works for {Carol}.
      {Acme} and {Vega} led the talks.
      {Acme} was backed by {Vega} and by {Bob}. => vega-fund invested_in acme, bob invested_in acme
      {Acme}'s seed round was led by {Vega}. => vega-fund led_round acme
      {Acme}'s CEO ({Bob}) came. => bob works_at acme
      {Bob} founded {Acme}, which {Carol} now runs. => bob founded acme
      {Bob} has joined {Acme} as an engineer and {Carol} as a designer. => bob works_at acme
      Congratulate {Bob} on joining {Acme}.
      Ask {Bob} about {Acme}'s CTO.
      {Bob} advises both {Acme} and {Beta}. => bob advises acme, bob advises beta
      {Acme} is advised by {Bob}, a partner at {Vega}. => bob advises acme, bob works_at vega-fund
      Panel: {Bob} ({Acme}), {Carol} ({Beta}).
      {Bob}, who used to work at {Acme}, founded {Beta}. => bob founded beta
      {Bob} and his team at {Acme} built it.
      {Bob} showed {Carol} the lab at {Acme}.
      The engineer {Bob} met at {Acme} was helpful.
      {Bob} took over from {Carol} as CEO of {Acme}. => bob works_at acme
      {Bob}, then CEO of {Acme}, said no.
      {Bob} was CEO of {Acme} when {Vega} invested in it.
      {Carol} replaced {Bob} as CEO of {Acme}. => carol works_at acme
      {Bob} announced that {Acme} raised $4M from {Vega}. => vega-fund invested_in acme
      {Bob}, the CEO of {Acme}, joined {Vega} as a partner. => bob works_at acme, bob works_at vega-fund
      {Carol} is married to {Bob}, an engineer at {Acme}. => bob works_at acme
      {Bob} asked {Carol} to join {Acme}.
      {Bob} promoted {Carol} to head of sales at {Acme}.
      {Acme}'s {Bob} presented the roadmap.
      {Dan} was hired by {Bob} at {Acme}.
      {Bob} is CEO of {Acme} and {Carol} is its CTO. => bob works_at acme
      {Bob} is CEO of {Acme}; {Carol} is CTO of {Beta}. => bob works_at acme, carol works_at beta
      {Bob}, who is not an investor in {Acme}, complained.
      {Bob} was an early investor in {Acme}. => bob invested_in acme
      {Bob} and {Vega} co-led the seed round of {Acme}. => bob led_round acme, vega-fund led_round acme
      {Acme} was started in 2011 by {Bob}. => bob founded acme
      {Acme} was founded by a friend of {Bob}.
      {Acme} was not founded by {Bob}.
      {Acme} is said to be backed by {Vega}.
      {Vega} is looking to back {Acme}.
      {Vega} has backed {Acme} twice. => vega-fund invested_in acme
      {Bob} works at {Acme}, {Carol} at {Beta}. => bob works_at acme
    `,
  );
});

describe('in Chinese', () => {
  checkProse(
    'people/王小明',
    `
      王小明在{Acme}工作。 => works_at acme
      王小明现任{Acme}首席技术官。 => works_at acme
      他创立了{Acme}，并投资了{Beta}。 => founded acme, invested_in beta
      王小明是{Acme}的联合创始人。 => founded acme
      担任{Acme}的顾问。 => advises acme
      王小明加入了{Acme}，负责供应链。 => works_at acme
      {Bob}创办了{Core}。 => bob founded core
      {Core}由{Bob}创立。 => bob founded core
      王小明参加了{Sync}。 => attended sync
      王小明曾任职于{Acme}。 =>
      王小明没有投资{Acme}。 =>
      王小明计划加入{Acme}。 =>
      他的朋友创立了{Acme}。 =>
      王小明是{Acme}的前首席执行官。 =>
    `,
  );
});
