import { rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { equals } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { sqlState } from '../../../src/postgres/error-layers.ts';
import { type Bench, type ClientRule, SCHEMA } from './bench.ts';

const TEXTS = {
  'a time as the text that it is, and not as local time': [
    '2026-10-25 00:30:00+00',
    '2026-03-29T02:30:00.000Z',
    '2026-01-01',
  ],
  'what looks like a number, a boolean or JSON as the text that it is': [
    '007',
    '1e3',
    '9007199254740993',
    'true',
    't',
    '{"a":1}',
    '[]',
  ],
  'what is a mark to some libraries as it is': [
    '?',
    '??',
    ':name',
    '$1',
    '%s',
    "it's",
    'back\\slash',
    '{a,b}',
  ],
  'white space, and dead letters of all alphabets, as they are': [
    '',
    ' x ',
    'line\nbreak\r\n\t',
    'naïve',
    'ключ',
    '鍵',
    '🗝️',
  ],
};

export const QUERY: ClientRule = {
  rule:
    'query runs one statement with its parameters as text, and gives its rows by position: each cell the text that ' +
    'the server sent, or null',
  cases: {
    ...each(
      Object.entries(TEXTS),
      ([what]) => `query gives ${what}`,
      async ({ client }: Bench, [, texts]) => {
        for (const text of texts) equals(await client.query('select $1::text as cell', [text]), [[text]]);
      },
    ),

    async 'query gives a whole number as text, with all its digits'({ client }) {
      const rows = await client.query(
        'select 9007199254740993::bigint as large, 7 as small, -1::smallint as less',
        [],
      );
      equals(rows, [['9007199254740993', '7', '-1']]);
    },

    async 'query distinguishes null, the empty text and the text NULL, sent and received'({ client }) {
      const cells = [null, '', 'NULL', 'null'];
      const rows = await client.query(
        'select $1::text as a, $2::text as b, $3::text as c, $4::text as d',
        cells,
      );
      equals(rows, [cells]);
    },

    async 'query gives the cells of a row in the order of the columns'({ client }) {
      equals(await client.query(`select '3' as c, '1' as a, '2' as b`, []), [['3', '1', '2']]);
    },

    async 'query gives all rows, in the order of the server'({ client }) {
      const numbers = Array.from({ length: 1_000 }, (_, index) => [String(1_000 - index)]);
      equals(await client.query('select n::text as n from generate_series(1000, 1, -1) as n', []), numbers);
    },

    async 'query sends each parameter to its number, and one to several places'({ client }) {
      const statement = 'select $2::text as a, $1::text as b, $2::text as c';
      equals(await client.query(statement, ['one', 'two']), [['two', 'one', 'two']]);
    },

    async 'query gives an empty list for no rows, and the rows that a write returns'(bench) {
      const { client, insertBy } = bench;
      const [inserted] = await insertBy(client, 'written');
      const id = inserted?.[0] ?? '';
      const change = (verb: string) => client.query(`${verb} where id = $1::text`, [id]);
      equals(await change('select id from handle_once_effects'), [[id]]);
      equals(await change('update handle_once_effects set id = id'), []);
      equals(await change('delete from handle_once_effects'), []);
      equals(await change('select id from handle_once_effects'), []);
    },

    async 'query commits at once: a statement outside of begin is a transaction by itself'({
      client,
      insertBy,
    }) {
      const [first] = await insertBy(client, 'first');
      const [second] = await insertBy(client, 'second');
      equals(first?.[1] === second?.[1], false);
    },

    async 'execute runs several statements of one text'({ client, effects, insertBy }) {
      const [row] = await insertBy(client, '');
      const id = row?.[0] ?? '';
      await client.execute(`
        insert into handle_once_effects (id) values ('${id}first');
        insert into handle_once_effects (id) values ('${id}second; it''s');`);
      equals(await effects(), ['', 'first', "second; it's"]);
    },
  },
};

/** A statement that the server refuses with this SQLSTATE. */
export const raise = (state: string) =>
  `do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`;

/** What the server refuses, by its SQLSTATE. The last three are what a claim and a transaction look for. */
const REFUSED: [what: string, verb: 'query' | 'execute', statement: string, state: string][] = [
  ['a missing table', 'query', 'select id from handle_once_contract.nothing', '42P01'],
  ['a division by zero', 'query', 'select 1/0 as cell', '22012'],
  ['a syntax error', 'execute', 'selec', '42601'],
  ['a locked row', 'execute', raise('55P03'), '55P03'],
  ['a conflict', 'execute', raise('40001'), '40001'],
  ['a deadlock', 'execute', raise('40P01'), '40P01'],
];

/** Statements that count their runs, by a sequence, which no rollback takes back. */
const COUNTED: [what: string, verb: 'query' | 'execute', statementOf: (sequence: string) => string][] = [
  ['a division by zero', 'query', (sequence) => `select (1 / (0 * nextval('${sequence}')))::text as cell`],
  [
    'a conflict',
    'execute',
    (sequence) =>
      `do $$ begin perform nextval('${sequence}'); raise exception 'refused' using errcode = '40001'; end $$`,
  ],
];

export const REFUSAL: ClientRule = {
  rule:
    'a statement that the server refuses rejects, with its SQLSTATE as code of the error or of its cause, and ' +
    'is not sent again',
  cases: {
    ...each(
      REFUSED,
      ([what, verb, , state]) => `${verb} rejects for ${what} with the SQLSTATE ${state}, and goes on`,
      async ({ client }: Bench, [, verb, statement, state]) => {
        const refused = verb === 'query' ? client.query(statement, []) : client.execute(statement);
        await rejects(refused, (error) => {
          equals(sqlState(error), state);
          return true;
        });
        equals(await client.query('select $1::text as cell', ['alive']), [['alive']]);
      },
    ),

    ...each(
      COUNTED,
      ([what, verb]) => `${verb} sends a statement once that the server refuses for ${what}`,
      async ({ client }: Bench, [, verb, statementOf]) => {
        const sequence = `${SCHEMA}.runs_${randomUUID().replaceAll('-', '')}`;
        await client.execute(`create sequence ${sequence}`);
        const statement = statementOf(sequence);
        await rejects(verb === 'query' ? client.query(statement, []) : client.execute(statement));
        const runs = await client.query(
          `select last_value::text as runs, is_called::text as ran from ${sequence}`,
          [],
        );
        await client.execute(`drop sequence ${sequence}`);
        equals(runs, [['1', 'true']]);
      },
    ),
  },
};
