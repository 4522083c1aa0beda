// Credentials are found by their shape and struck out whole; ordinary sentences about them are not touched.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretDetector } from './detector.ts';
import { findSecrets, redactSecrets } from './shapes.ts';

const detector = await secretDetector();

// Made values, put together here so that no scanner takes this file for a leak.
const TAIL = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const MADE: [string, string][] = [
  ['aws_access_key', `AKIA${'Q7ZR2XWM5NTB4VKD'}`],
  ['github_token', `ghp_${TAIL}`],
  ['github_token', `github_pat_${TAIL}${TAIL}`],
  ['gitlab_token', `glpat-${TAIL.slice(0, 20)}`],
  ['anthropic_key', `sk-ant-api03-${TAIL}`],
  ['openai_key', `sk-proj-${TAIL}`],
  ['google_api_key', `AIza${TAIL.slice(0, 35)}`],
  ['slack_token', `xoxb-${'1234567890'}-${TAIL.slice(0, 12)}`],
  ['stripe_key', `sk_live_${TAIL.slice(0, 24)}`],
  ['npm_token', `npm_${TAIL}`],
  ['huggingface_token', `hf_${TAIL.slice(0, 34)}`],
  ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${TAIL}`],
  ['private_key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${TAIL}\n-----END OPENSSH PRIVATE KEY-----`],
];

describe('secrets', () => {
  test.each(MADE)('%s is found inside a sentence and struck out', (rule, value) => {
    const text = `Note that the access is ${value} as of today.`;
    expect(findSecrets(text).map((one) => one.rule)).toEqual([rule]);
    expect(redactSecrets(text)).toBe(`Note that the access is [redacted ${rule}] as of today.`);
    expect(detector.redact(text)).toEqual({ text: redactSecrets(text), found: 1 });
  });

  test.each([
    ['postgres://app:tR0ub4dor@db.example/app', 'tR0ub4dor'],
    [`Authorization: Bearer ${TAIL}`, TAIL],
    [`API_KEY=${TAIL}`, TAIL],
    [`"client_secret": "${TAIL}"`, TAIL],
    ['The wifi password is hunter2-blue', 'hunter2-blue'],
  ])('%s', (text, value) => {
    expect(redactSecrets(text)).not.toContain(value);
    expect(detector.redact(text).text).not.toContain(value);
  });

  test.each([
    'Alice prefers green tea',
    'The password is kept in the vault of the office',
    'The token budget of recall is 800 tokens',
    'Rotate the API key every 90 days',
    'API_KEY=<your key>',
    'The commit is 3f786850e387550fdab836ed7e6dc881de23001b',
    'Meet at https://example.com/a/b?c=d',
    'sk-learn-pipelines-are-used-in-the-project',
  ])('leaves alone: %s', (text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(detector.find(text)).toEqual([]);
  });

  test('no made credential outlives its redaction, and a second pass changes nothing', () => {
    const around = fc.string({ maxLength: 200 });
    fc.assert(
      fc.property(around, fc.constantFrom(...MADE), around, (before, [, value], after) => {
        const once = detector.redact(`${before} ${value} ${after}`).text;
        expect(once).not.toContain(value);
        expect(detector.redact(once)).toEqual({ text: once, found: 0 });
      }),
    );
  });

  test.each([
    ['linear', `lin_api_${TAIL}${TAIL.slice(0, 4)}`],
    ['figma', `figd_${TAIL}${TAIL.slice(0, 4)}`],
    ['notion', `ntn_${'12345678901'}${TAIL.slice(0, 35)}`],
  ])('%s is known to the kept rules alone', (rule, value) => {
    const text = `export KEY ${value} end`;
    expect(findSecrets(text)).toEqual([]);
    expect(detector.redact(text).text).not.toContain(value);
    expect(detector.find(text).map((one) => one.rule)).toEqual([rule]);
  });

  test('a comment in the text switches no rule off', () => {
    const value = `lin_api_${TAIL}${TAIL.slice(0, 4)}`;
    expect(detector.redact(`// secretlint-disable\n${value}\n// secretlint-enable`).text).not.toContain(value);
  });

  test('two rules that cut one credential differently leave nothing of it', () => {
    const text = 'The store is at postgres://app:tR0ub4dor@db.example/app today';
    expect(detector.redact(text).text).toBe('The store is at [redacted database_connection_string] today');
  });
});
