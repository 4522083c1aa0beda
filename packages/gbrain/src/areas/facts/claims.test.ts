// What sentences say and claim: the same in other words, another value, and what only looks alike.
import { describe, expect, test } from 'vitest';
import { chatterOf } from './chatter.ts';
import { claimOf, clash } from './claims.ts';
import { gistOf, readStatement, withTitles } from './statement.ts';

const gist = (text: string): string => gistOf(readStatement(text));
const alice = {
  self: 'Alice Example',
  named: [{ title: 'Alice Example', names: ['Alice Example', 'Ally', 'alice example'] }],
};
const claim = (text: string) => claimOf(text, alice).claim!;

describe('the same in other words', () => {
  test.each([
    ['Alice prefers green tea', 'FYI: Alice really prefers green tea!'],
    ['Alice prefers green tea', 'As I mentioned before, Alice prefers the green tea'],
    ['Alice prefers green tea', 'The user said that Alice prefers green tea.'],
    ['Alice prefers green tea', 'Note that Alice still prefers green tea, as mentioned.'],
    ['Alice prefers green tea', 'According to my notes: Alice prefers green tea'],
    ['The pilot starts on 2026-03-01', 'The pilot starts on March 1, 2026'],
    ['The pilot starts on 2026-03-01', 'On 1 March 2026, the pilot starts'],
    ['The pilot starts on 2026-03-01', 'The pilot begins on 1st March 2026'],
    ['The budget is $50,000', 'The budget is $50k'],
    ['The budget is 50,000 dollars', 'the budget is now USD 50000'.replace('USD 50000', '$50000')],
    ['Churn is 5%', 'Churn is 5 percent'],
    ["Bob doesn't eat meat", 'Bob does not eat meat'],
    ['The call is at 9am', 'The call is at 09:00'],
    ['The team has three members', 'The team has 3 members'],
    ["It's the case that Ann can't swim", 'It is the case that Ann cannot swim'],
  ])('%j and %j', (a, b) => expect(gist(a)).toBe(gist(b)));

  test('a word that is called like a property of every object is a word', () => {
    expect(readStatement('The constructor is blue').words).toEqual(['constructor', 'blue']);
  });

  test('whatever a page is called', () => {
    const saying = (text: string) => gistOf(claimOf(text, alice).statement);
    expect(saying('Ally prefers green tea')).toBe(saying('Alice Example prefers green tea'));
  });

  test.each([
    ['the longest name is taken, and none inside another', 'ann lee met ann', 'ann lee-jones met ann lee'],
    ['a hyphen may stand for a space', 'red-fox runs', 'fox, the red runs'],
    ['a form with its hyphen stays', 'x-ray and x ray', 'scan and x ray'],
    ['a name in a word, a slug or a number is none', 'annual ann/a ann-b 7ann 𝒜ann', 'annual ann/a ann-b 7ann 𝒜ann'],
    ['a name at both ends', 'ann', 'ann lee'],
    ['signs of patterns are signs', 'a+b (c) is $1', 'sum is $1'],
  ])('%s', (_, plain, shown) => {
    const named = [
      { title: 'Ann Lee-Jones', names: ['Ann Lee'] },
      { title: 'Ann Lee', names: ['Ann'] },
      { title: 'Fox, the red', names: ['red fox'] },
      { title: 'Scan', names: ['x-ray'] },
      { title: 'Sum', names: ['a+b (c)'] },
    ];
    expect(withTitles(plain, named)).toBe(shown);
  });

  test.each([
    ['Alice prefers green tea', 'Alice prefers black tea'],
    ['Alice prefers green tea', 'Alice does not prefer green tea'],
    ['Alice manages Bob', 'Bob manages Alice'],
    ['The team has 3 members', 'The team has 30 members'],
    ['The pilot starts on 2026-03-01', 'The pilot starts on 2026-03-10'],
    ['The pilot starts before 2026-03-01', 'The pilot starts after 2026-03-01'],
    ['Alice lived in Lyon', 'Alice lives in Lyon'],
    ['The budget is $50,000', 'The budget is €50,000'],
    ['Churn is 5%', 'Churn is 50%'],
    ['Well 7 is closed', 'Well 8 is closed'],
    ['Update 4 is out', 'Update 5 is out'],
  ])('%j is not %j', (a, b) => expect(gist(a)).not.toBe(gist(b)));
});

describe('claims', () => {
  test.each([
    ['Alice Example works at Acme', 'employer:alice example', 'acme'],
    ['Ally now works for Beta Corp as a designer', 'employer:alice example', 'beta corp'],
    ['Alice Example has joined Gamma', 'employer:alice example', 'gamma'],
    ['She no longer works at Acme', 'employer:alice example', '!acme'],
    ["Alice Example's phone number is 555-0100", 'phone:alice example', '555-0100'],
    ['The deadline of the report is 2026-05-01', 'due date:report', 'd:2026-05-01'],
    ['The report is due on May 1, 2026', 'due date:report', 'd:2026-05-01'],
    ['The pilot budget was raised from $50k to $60k', 'budget:pilot', '60000 usd'],
    ['Acme is now headquartered in Lyon', 'location:acme', 'lyon'],
    ['The project is on hold', 'status:project', 'on hold'],
    ['Acme has 40 employees', 'number of employees:acme', '40'],
    ["Alice Example's favourite color is blue", 'favorite color:alice example', 'blue'],
    ['Bob prefers tea over coffee', 'preference of coffee or tea:bob', 'tea'],
  ])('%j is of %s and states %s', (text, dimension, value) => expect(claim(text)).toMatchObject({ dimension, value }));

  test('a figure of a period is another claim than that of the next, and a number is followed', () => {
    expect(claim("Acme's MRR was $50K in March 2026")).toMatchObject({
      dimension: 'mrr:acme@2026-03',
      number: { metric: 'mrr of acme', value: '50000', unit: 'usd', period: '2026-03' },
    });
    expect(claim('Her salary is 100 EUR').number).toMatchObject({ metric: 'salary', value: '100', unit: 'eur' });
  });

  test.each([
    ['The launch was moved to May', true],
    ['The launch is now in May', true],
    ['The launch is delayed', false],
    ['The cut is deep', false],
  ])('%j tells of a change: %s', (text, is) => expect(readStatement(text).isChange).toBe(is));

  test('a day since when it holds is read, and is no part of the value', () => {
    expect(claim('Alice Example works at Beta since 2026-02-03')).toMatchObject({ value: 'beta', since: '2026-02-03' });
  });

  test.each([
    ["Alice Example's brother is Bob"],
    ['Alice Example speaks French'],
    ['Alice Example works at Acme and Beta'],
    ['Alice Example lives in Lyon, but works in Paris'],
  ])('%j states no attribute of one value', (text) => expect(claim(text).dimension).toMatch(/^says:/));

  test.each([
    ['acme', 'beta', true],
    ['acme', '!acme', true],
    ['beta', '!acme', false],
    ['!beta', '!acme', false],
    ['lyon', 'lyon france', false],
    ['4', '4 b', true],
    ['yes', 'no', true],
  ])('%s and %s clash: %s', (a, b, is) => expect([clash(a, b), clash(b, a)]).toEqual([is, is]));

  test('what is denied is the other side of the same', () => {
    const [likes, dislikes] = ['Bob likes tea', 'Bob does not like tea'].map((text) => claimOf(text).claim!);
    expect(dislikes!.dimension).toBe(likes!.dimension);
    expect([likes!.value, dislikes!.value]).toEqual(['yes', 'no']);
  });
});

describe('chatter', () => {
  test.each([
    'ok',
    'Thanks!',
    'Hello there',
    'Good morning, team',
    '👍',
    'Sounds good',
    'Let me check the logs',
    'What time is it?',
    'Running the tests now…',
    "I'll update the file",
    'How can I help?',
    'Thank you for your help',
    'Yes, please continue',
    'Done.',
    'One moment please',
    'I have read the file',
  ])('%j states nothing', (text) => expect(chatterOf(text)).toBeDefined());

  test.each([
    'Alice prefers tea',
    'The OK Corral is the venue',
    'Thanks to Bob the pilot started',
    'Hello Kitty is the mascot of the team',
    'Let it Be is the favourite song of Carol',
    'The build takes nine minutes',
    'Running is what Dora does on Sundays',
    'I am allergic to nuts',
    'I will be in Lyon from May',
    'No is the answer of the board',
    'The board asked: who pays? Acme pays.',
    '会议在周一',
    'Done Deal Ltd is a client',
    'I can read Chinese',
  ])('%j may be a fact', (text) => expect(chatterOf(text)).toBeUndefined());
});
