// What people tell twice and what only looks so: pairs that must become one fact, pairs that must stay two, pairs of
// which the second takes the place of the first. Told through `remember`; what is read in a text knows no engine.
import { AGENT, type TestHost, testHost } from '@gbrain/testkit/host';
import { openTestPglite } from '@gbrain/testkit/stores';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainOf } from './statement.ts';

/** One fact in two wordings. */
const MERGE: readonly (readonly [string, string])[] = [
  ['Ann was born on 5 May', 'Ann was born on May 5th'],
  ['Ann was born on 5 May', 'Ann was born on the 5th of May'],
  ['The lease ends on 31.12.2027', 'The lease ends on 2027-12-31'],
  ['The lease ends on 12/31/2027', 'The lease ends on December 31, 2027'],
  ['The lease ends on 2027-12-31T00:00:00.000Z', 'The lease ends on 2027-12-31'],
  ['The lease ends on 2027-12-31 (Friday)', 'The lease ends on Friday, December 31, 2027'],
  ['Latency is under 5 ms', 'Latency is < 5 milliseconds'],
  ['The temperature is minus 5 °C', 'The temperature is -5 degrees Celsius'],
  ['Ticket #42 is closed', 'Ticket No. 42 is closed'],
  ['The plan costs $20/month', 'The plan costs 20 dollars per month'],
  ['The plan costs $20/month', 'The plan costs $20 a month'],
  ['Data moves from X to Y', 'Data moves from X → Y'.replace(' → ', ' to ')],
  ['Deploy status: ✅', 'Deploy status ✅'],

  ['Anna van der Berg lives in Utrecht', 'Anna van der Berg resides in Utrecht.'],
  ['Ludwig van Beethoven was born on 1770-12-17', 'Ludwig van Beethoven was born on December 17, 1770'],
  ["O'Neil's office is in Cork", 'O’Neil’s office is in Cork'],
  ['The rent is €1,250 per month', 'The rent is 1250 euros per month'],
  ['The rent is €1,250 per month', 'The rent is €1250 a month'],
  ['The parcel weighs 3 kg', 'The parcel weighs 3kg'],
  ['The parcel weighs 3 kg', 'The parcel weighs 3 kilograms'],
  ['The cable is 20 m long', 'The cable is 20 metres long'],
  ['The cable is 20 m long', 'The cable is 20m long'],
  ['The race is 10 km', 'The race is 10km'],
  ['The race is 10 km', 'The race is 10 kilometers'],
  ['The meeting is at 3pm', 'The meeting is at 15:00'],
  ['The meeting is at 3 p.m.', 'The meeting is at 15:00'],
  ['The meeting is at 3:30 PM', 'The meeting is at 15:30'],
  ['The flight leaves on 5 March 2027 at 07:15', 'The flight leaves on March 5th, 2027 at 7:15 am'],
  ['The flight leaves on 5 March 2027', 'The flight leaves on 5 Mar 2027'],
  ['The flight leaves on 5 March 2027', 'The flight leaves on 2027-03-05'],
  ['The contract ends on 31/12/2027', 'The contract ends on 31 December 2027'],
  ['The contract ends on Friday, 31 December 2027', 'The contract ends on 31 December 2027'],
  ["Bob won't attend the review", 'Bob will not attend the review'],
  ["Bob isn't a vegetarian", 'Bob is not a vegetarian'],
  ['Williams signed the lease', 'As mentioned before, Williams signed the lease'],
  ['On 5 May 2027, Brooks moves out', 'Brooks moves out on May 5, 2027'],
  ['Bob is allergic to peanuts', 'Bob is allergic to peanuts!'],
  ['Bob is allergic to peanuts', 'bob is allergic to PEANUTS'],
  ['Bob is allergic to peanuts', 'Remember that Bob is allergic to peanuts'],
  ['Bob is allergic to peanuts', 'Please remember: Bob is allergic to peanuts.'],
  ['Bob is allergic to peanuts', 'Just a reminder that Bob is allergic to peanuts'],
  ['Bob is allergic to peanuts', 'The user mentioned that Bob is allergic to peanuts'],
  ['The team has twelve engineers', 'The team has 12 engineers'],
  ['The team has twenty engineers', 'The team has 20 engineers'],
  ['The team has twenty-five engineers', 'The team has 25 engineers'],
  ['Revenue grew 12%', 'Revenue grew 12 percent'],
  ['Revenue grew by 12.0%', 'Revenue grew by 12%'],
  ['The budget is $1.5M', 'The budget is $1.5 million'],
  ['The budget is $1.5M', 'The budget is 1,500,000 dollars'],
  ['The budget is USD 50,000', 'The budget is $50,000'],
  ['The budget is EUR 50k', 'The budget is €50,000'],
  ['The budget is £2m', 'The budget is £2 million'],
  ['The server runs Postgres 16', 'The server runs Postgres 16.'],
  ['Alice likes hiking and chess', 'Alice likes hiking & chess'],
  ['Alice likes hiking, chess and tea', 'Alice likes hiking, chess, and tea'],
  ["Alice's favourite colour is teal", "Alice's favorite color is teal"],
  ['Alice prefers e-mail over phone', 'Alice prefers email over phone'],
  ['The café opens at 08:00', 'The cafe\u0301 opens at 8:00'],
  ['Zoë Müller plays the cello', 'Zoë Müller plays the cello'.normalize('NFD')],
  ['The deadline is the 3rd of May 2027', 'The deadline is 3 May 2027'],
  ['The doctor appointment is on 2027-02-03T09:00', 'The doctor appointment is on 3 February 2027 at 9am'],
  ['Q3 2027 revenue was $4m', 'Q3 2027 revenue was $4 million'],
  ['Dr. Weber is the dentist', 'Dr Weber is the dentist'],
  ['Mr. Smith owns the house', 'Mr Smith owns the house'],
  ['The password reset takes 24 hours', 'The password reset takes 24 hrs'],
  ['The password reset takes 24 hours', 'The password reset takes 24h'],
  ['Lunch is at noon', 'Lunch is at 12:00'],
  ['The temperature limit is 5 °C', 'The temperature limit is 5°C'],
];

/** Two facts, though one word, sign or figure tells them apart. */
const APART: readonly (readonly [string, string])[] = [
  ['The appointment is at 2027-02-03T09:00', 'The appointment is at 2027-02-03T14:00'],
  ['The call is at 2027-02-03T09:00+02:00', 'The call is at 2027-02-03T09:00-05:00'],
  ['Latency is < 5 ms', 'Latency is > 5 ms'],
  ['Latency is ≤ 5 ms', 'Latency is 5 ms'],
  ["Bob's blood type is A+", "Bob's blood type is A-"],
  ["Bob's blood type is A+", "Bob's blood type is A"],
  ['Ann got a B+ in maths', 'Ann got a B in maths'],
  ['Applicants need 5+ years', 'Applicants need 5 years'],
  ['Deploy status: ✅', 'Deploy status: ❌'],
  ['Grade A eggs are sold out', 'Grade eggs are sold out'],
  ['Plan A is approved', 'The plan is approved'],
  ['Alice Mills called the bank', 'Alice Mill called the bank'],
  ['The tester is Peter Williams', 'The tester is Peter William'],
  ["Ann's manager is Roberts", "Ann's manager is Robert"],
  ['The link uses 5 Gbps', 'The link uses 5 GBps'],
  ['Ann was born on 5 May', 'Ann was born on 6 May'],
  ['Ann was born on 5 May', 'Ann was born on 5 May 1990'],
  ['The lease ends on 05/03/2027', 'The lease ends on 03/05/2027'],
  ['x != 5 in the config', 'x = 5 in the config'],
  ['Move data from A to B', 'Move data from B to A'],
  ['Twenty-five guests come', 'Twenty guests come'],
  ['The rent is €900 per month', 'The rent is €900 per week'],
  ['The room is 20 m²', 'The room is 20 m long'],
  ['The fee is 5 mn euros', 'The fee is 5 min'],

  ['Anna van der Berg lives in Utrecht', 'Anna Berg lives in Utrecht'],
  ['Jan de Vries manages the shop', 'Jan van Vries manages the shop'],
  ['Maria del Mar signed the lease', 'Maria Mar signed the lease'],
  ['Alice Miller called the bank', 'Alice Mills called the bank'],
  ['John Smith Jr. owns the boat', 'John Smith Sr. owns the boat'],
  ['John Smith II owns the boat', 'John Smith III owns the boat'],
  ['The A team won', 'The B team won'],
  ['Plan A is approved', 'Plan B is approved'],
  ['Vitamin A is stored here', 'Vitamin C is stored here'],
  ['Will likes chess', 'Bill likes chess'],
  ['Will signed the lease', 'Will will sign the lease'],
  ['May called the bank', 'June called the bank'],
  ['The parcel weighs 3 kg', 'The parcel weighs 3 lb'],
  ['The parcel weighs 3 kg', 'The parcel weighs 3 g'],
  ['The cable is 20 m long', 'The cable is 20 km long'],
  ['The cable is 20 m long', 'The cable is 20 million long'],
  ['The disk holds 5 GB', 'The disk holds 5 TB'],
  ['The disk holds 5 GB', 'The disk holds 5 Gb'],
  ['The pill is 5 mg', 'The pill is 5 mcg'],
  ['The pill is 0.5 mg', 'The pill is 5 mg'],
  ['The pill is 1,5 mg', 'The pill is 15 mg'],
  ['The temperature limit is 5 °C', 'The temperature limit is 5 °F'],
  ['The temperature is -5 °C', 'The temperature is 5 °C'],
  ['The balance is -200 dollars', 'The balance is 200 dollars'],
  ['The balance is -$200', 'The balance is $200'],
  ['The flight is at 7am', 'The flight is at 7pm'],
  ['The flight is at 12am', 'The flight is at 12pm'],
  ['The flight leaves on 2027-03-05', 'The flight leaves on 2027-05-03'],
  ['The meeting is on Monday', 'The meeting is on Tuesday'],
  ['The deadline is 5 March 2027', 'The deadline is 5 March 2028'],
  ['The deadline is in May', 'The deadline is in June'],
  ['Bob eats meat', 'Bob does not eat meat'],
  ['Bob is a vegetarian', 'Bob is no vegetarian'],
  ['Bob never eats fish', 'Bob always eats fish'],
  ['Bob hardly eats fish', 'Bob eats fish'],
  ['Bob rarely eats fish', 'Bob often eats fish'],
  ['Bob can swim', 'Bob cannot swim'],
  ['Bob may attend the review', 'Bob must attend the review'],
  ['Bob might attend the review', 'Bob will attend the review'],
  ['Bob was a pilot', 'Bob is a pilot'],
  ['Bob used to live in Oslo', 'Bob lives in Oslo'],
  ['Bob was allergic to nuts', 'Bob is allergic to nuts'],
  ['Alice is taller than Bob', 'Bob is taller than Alice'],
  ['Alice lent Bob 20 dollars', 'Bob lent Alice 20 dollars'],
  ['The store opens before 9:00', 'The store opens after 9:00'],
  ['At least 5 guests come', 'At most 5 guests come'],
  ['More than 5 guests come', 'Fewer than 5 guests come'],
  ['Only Bob has the key', 'Bob has the key'],
  ['All tests pass', 'Some tests pass'],
  ['Everyone likes the logo', 'Nobody likes the logo'],
  ['The door is unlocked', 'The door is locked'],
  ['Use HTTP for the hook', 'Use HTTPS for the hook'],
  ['Version 1.2 is live', 'Version 1.2.1 is live'],
  ['Version 1.10 is live', 'Version 1.1 is live'],
  ['The port is 8080', 'The port is 8081'],
  ['Room 12A is free', 'Room 12B is free'],
  ['Call +1 555 0100', 'Call +1 555 0101'],
  ['The ratio is 1:2', 'The ratio is 2:1'],
  ['The score was 3-1', 'The score was 1-3'],
  ['She lives in New York', 'She lives in York'],
  ['C is used for the driver', 'C++ is used for the driver'],
  ['C# is used for the driver', 'C is used for the driver'],
  ['The API returns a list', 'The API returns the list of users'],
  ['Bob reports to Ann', 'Ann reports to Bob'],
  ['The team has 3 members', 'The team has 3 new members'],
  ['The budget is $50k', 'The budget is €50k'],
  ['The budget is about $50k', 'The budget is exactly $50k'],
  ['Churn is 5%', 'Churn is 5 points'],
  ['Interest is 0.5%', 'Interest is 5%'],
  ['Payment is due in 30 days', 'Payment is due in 30 weeks'],
  ['The US office moved', 'The us office moved to Lyon'],
  ['No. 4 is ready', '4 is not ready'],
  ['The lease starts on the 1st', 'The lease starts on the 11th'],
  ['Bob has two sisters and one brother', 'Bob has one sister and two brothers'],
  ['Ann sold the flat to Bob', 'Ann sold Bob to the flat'],
  ['The train goes from Oslo to Bergen', 'The train goes from Bergen to Oslo'],
  ['Ann is the new CEO', 'Ann is the CEO of Acme'],
];

/** Another value of one attribute. */
const UPDATES: readonly (readonly [string, string])[] = [
  ['Anna van der Berg lives in Utrecht', 'Anna van der Berg now lives in Delft'],
  ["Ann's phone number is 555-0100", "Ann's phone number is 555-0199"],
  ['The budget of the mill is €50k', 'The budget of the mill is €60k'],
  ['The office is in Cork', 'The office is in Dublin'],
  ['The lease ends on 31.12.2027', 'The lease ends on 2028-01-31'],
  ['Ann works at Acme', 'Ann no longer works at Acme'],
  ['The deadline of the audit is 5 May', 'The deadline of the audit is 6 May'],
  ['The server has 16 seats', 'The server has 32 seats'],
  ['Bob reports to Ann', 'Bob reports to Carl'],
  ["Bob's blood type is A+", "Bob's blood type is A-"],
  ['The price of the tram is 3 kg', 'The price of the tram is 4 kg'],
  ['The temperature limit is minus 5 °C', 'The temperature limit is 5 °C'],
];

/** Values of two attributes, or of the same attribute of two. */
const BESIDE: readonly (readonly [string, string])[] = [
  ['Anna van der Berg lives in Utrecht', 'Anna van den Berg lives in Delft'],
  ["Ann's phone number is 555-0100", "Bob's phone number is 555-0199"],
  ['The budget for 2026 is €50k', 'The budget for 2027 is €60k'],
  ['Ann works at Acme', 'Ann worked at Beta'],
  ['Ann works at Acme', 'Ann works at Acme as a designer'],
  ['Room 12A is open', 'Room 12B is closed'],
  ['Ann has 3 brothers', 'Ann has 2 sisters'],
  ['Q3 2027 revenue was $4m', 'Q4 2027 revenue was $5m'],
  ['Delivery 5 starts on 2027-01-02', 'Delivery 6 starts on 2027-01-03'],
  ['The Oslo office is located in Storgata', 'The Bergen office is located in Strandgaten'],
  ['Ann prefers tea over coffee', 'Ann prefers wine over beer'],
  ['John Smith Jr. lives in Leeds', 'John Smith Sr. lives in York'],
  ['C# version is 12', 'C++ version is 20'],
  ['The staging port is 8080', 'The production port is 8081'],
  ["Ann's mother's name is Eva", "Ann's name is Ann"],
  ['The lease of flat 2 ends on 2027-01-01', 'The lease of flat 3 ends on 2028-01-01'],
];

const everyText = [MERGE, APART, UPDATES, BESIDE].flat(2);

test.each(everyText)('%s is in its form once it is put into it', (text) => {
  const plain = plainOf(text);
  expect(plainOf(plain)).toBe(plain);
});

describe('told twice', () => {
  let host: TestHost;
  let opened: Awaited<ReturnType<typeof openTestPglite>>;
  let pair = 0;
  /** Both texts, told of an entity of their own; from two sources unless the second is an update of the first. */
  const tell = async (texts: readonly string[], isUpdate = false) => {
    pair += 1;
    const told: { id: string; status: string; superseded_fact_id?: string; conflicts_with?: string[] }[] = [];
    for (const [n, fact] of texts.entries()) {
      const provenance = isUpdate ? 'the same talk' : `talk ${n}`;
      told.push(await host.ok('remember', { fact, provenance, entity: `pair/${pair}` }, AGENT));
    }
    return told as [(typeof told)[0], (typeof told)[0]];
  };
  beforeAll(async () => {
    opened = await openTestPglite();
    host = testHost(opened.store);
  });
  afterAll(() => opened.remove());

  test.each(MERGE)('%j and %j are one fact', async (...texts) => {
    const [first, second] = await tell(texts);
    expect(second).toMatchObject({ status: 'duplicate', id: first.id });
  });

  test.each(APART)('%j and %j are two facts', async (...texts) => {
    const [, second] = await tell(texts);
    expect(second.status).toBe('inserted');
  });

  test.each(UPDATES)('%j is followed by %j', async (...texts) => {
    const [first, second] = await tell(texts, true);
    expect(second).toMatchObject({ status: 'superseded', superseded_fact_id: first.id });
  });

  test.each(BESIDE)('%j holds beside %j', async (...texts) => {
    const [, second] = await tell(texts, true);
    expect(second.status).toBe('inserted');
    expect(second.conflicts_with).toBeUndefined();
  });
});
