/** A series, and its value at each minute, in the words of promtool. */
export type Series = readonly [series: string, values: string];

/** What an alert is at a minute, with some series. */
export interface AlertCase {
  readonly alert: string;
  readonly when: string;
  readonly fires: boolean;
  readonly minute: number;
  readonly series: readonly Series[];
}

const event = (type: string) =>
  `handle_once_events_total{handle_once_scope="billing",handle_once_event="${type}"}`;
const delivery = (labels: string) => `handle_once_deliveries_total{${labels}}`;
const warning = (name: string) => delivery(`handle_once_event="warning",handle_once_warning="${name}"`);
const paused = delivery('handle_once_event="partition-paused",messaging_destination_name="orders"');

/** The first one ever at minute 8; one more at minute 15; the last one long ago. */
const FIRST = '_x8 1+0x10';
const ONE_MORE = '1+0x14 2+0x10';
const LONG_AGO = '4+0x30';

/** An alert for which one event is enough. */
function atOnce(alert: string, series: string): AlertCase[] {
  return [
    { alert, when: 'the first one', fires: true, minute: 10, series: [[series, FIRST]] },
    { alert, when: 'one more', fires: true, minute: 20, series: [[series, ONE_MORE]] },
    { alert, when: 'one of long ago', fires: false, minute: 20, series: [[series, LONG_AGO]] },
  ];
}

/** An alert for what goes on for long. */
function goingOn(alert: string, series: string): AlertCase[] {
  return [
    { alert, when: 'it goes on', fires: true, minute: 50, series: [[series, '0+1x60']] },
    { alert, when: 'it has ended', fires: false, minute: 50, series: [[series, '0+1x10 10+0x50']] },
  ];
}

/** What two processes say of the table, of which `a` has 5 abandoned records, by when they walked. */
function walked(a: string, b: string): Series[] {
  return [
    ['handle_once_records_abandoned{instance="a"}', '5+0x20'],
    ['handle_once_records_abandoned{instance="b"}', '0+0x20'],
    ['handle_once_maintenance_finished{instance="a"}', a],
    ['handle_once_maintenance_finished{instance="b"}', b],
  ];
}

export const ALERT_CASES: readonly AlertCase[] = [
  ...atOnce('HandleOnceFailed', event('failed')),
  ...atOnce('HandleOnceUnrecorded', event('unrecorded')),
  ...atOnce('HandleOnceMismatch', event('mismatch')),
  ...atOnce('HandleOnceConsumerWaits', warning('PARTITION_STUCK')),
  ...atOnce('HandleOnceConsumerWaits', warning('CONSUMER_STOPPED')),
  {
    alert: 'HandleOnceConsumerWaits',
    when: 'a finding about settings',
    fires: false,
    minute: 10,
    series: [[warning('RETENTION_TOO_SHORT'), FIRST]],
  },
  ...goingOn('HandleOnceStoreErrors', event('store-error')),
  ...goingOn('HandleOnceHanging', event('still-running')),
  ...goingOn('HandleOnceWithheld', paused),
  {
    alert: 'HandleOnceLeaseLost',
    when: 'one a minute',
    fires: true,
    minute: 60,
    series: [[event('lease-lost'), '0+1x60']],
  },
  {
    alert: 'HandleOnceLeaseLost',
    when: 'two in an hour',
    fires: false,
    minute: 60,
    series: [[event('lease-lost'), '1+0x30 3+0x30']],
  },
  {
    alert: 'HandleOnceTakeovers',
    when: 'two a minute',
    fires: true,
    minute: 15,
    series: [[event('taken-over'), '0+2x20']],
  },
  {
    alert: 'HandleOnceTakeovers',
    when: 'the two of a deploy',
    fires: false,
    minute: 15,
    series: [[event('taken-over'), '0+0x10 2+0x10']],
  },
  {
    alert: 'HandleOnceAbandoned',
    when: 'the last walk found some',
    fires: true,
    minute: 15,
    series: walked('600+0x20', '0+0x20'),
  },
  {
    alert: 'HandleOnceAbandoned',
    when: 'the last walk found none, one before it did',
    fires: false,
    minute: 15,
    series: walked('0+0x20', '600+0x20'),
  },
  {
    alert: 'HandleOnceUnmaintained',
    when: 'the last walk is seven hours old',
    fires: true,
    minute: 420,
    series: [['handle_once_maintenance_finished{instance="a"}', '0+0x420']],
  },
  {
    alert: 'HandleOnceUnmaintained',
    when: 'another process has walked',
    fires: false,
    minute: 420,
    series: [
      ['handle_once_maintenance_finished{instance="a"}', '0+0x420'],
      ['handle_once_maintenance_finished{instance="b"}', '0+60x420'],
    ],
  },
];
