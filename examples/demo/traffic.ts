export interface Order {
  readonly id: string;
  readonly cents: number;
}

const ORDERS = 300;
/** Every so manieth order is sent twice. */
const SENT_TWICE = 8;

/** The same orders every time. A copy follows its order at once, or comes when all the others have been sent. */
export function traffic(): Order[] {
  const orders = Array.from({ length: ORDERS }, (_, index) => order(index + 1));
  const copies = orders.filter((_, index) => index % SENT_TWICE === 0);
  const late = new Set(copies.filter((_, index) => index % 2 === 0));
  return [
    ...orders.flatMap((each) => (copies.includes(each) && !late.has(each) ? [each, each] : [each])),
    ...late,
  ];
}

function order(number: number): Order {
  return { id: `order-${String(number).padStart(3, '0')}`, cents: 500 + ((number * 137) % 9_500) };
}

/** In the order given: a first part, and the rest. */
export function waves(orders: readonly Order[], firstShare: number): [Order[], Order[]] {
  const first = Math.ceil(orders.length * firstShare);
  return [orders.slice(0, first), orders.slice(first)];
}
