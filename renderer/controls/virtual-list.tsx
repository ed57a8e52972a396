import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

/** Rows beyond both ends of what is seen, so that scrolling by a little builds nothing. */
const BEYOND_PX = 400;
/** So near to the end counts as there. */
const NEAR_PX = 40;

/**
 * A list of any length of which only the rows in sight are built. Rows may have any height: each is taken to be as high as those seen so
 * far are on average, at first `estimate_px`, until it has been seen itself. `follow` keeps the end in sight while new rows come and the reader is there.
 */
export function VirtualList<Item>(props: {
  items: readonly Item[];
  keyOf: (item: Item) => string | number;
  estimate_px: number;
  label: string;
  className: string;
  follow?: boolean;
  children: (item: Item) => ReactNode;
}) {
  const { items, keyOf, estimate_px, follow = false } = props;
  const list = useRef<HTMLOListElement>(null);
  const heights = useRef(new Map<string | number, number>());
  const [, setMeasured] = useState(0);
  const [seen, setSeen] = useState({ top: 0, height: 0 });
  const atEnd = useRef(true);
  const lastTop = useRef(0);
  const usual_px = meanOf(heights.current) ?? estimate_px;
  const tops = topsOf(items, (item) => heights.current.get(keyOf(item)) ?? usual_px);
  const whole = tops.at(-1) ?? 0;
  const first = Math.max(0, indexAt(tops, seen.top - BEYOND_PX));
  const last = Math.min(items.length - 1, indexAt(tops, seen.top + seen.height + BEYOND_PX));

  const look = useCallback((): void => {
    const element = list.current;
    if (element === null) return;
    const { scrollTop, clientHeight } = element;
    setSeen((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    );
  }, []);

  /** Only who scrolls back leaves the end: rows that turn out higher than they were taken for do not. */
  const scrolled = (): void => {
    const element = list.current;
    if (element === null) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    atEnd.current = isNear || (atEnd.current && scrollTop >= lastTop.current);
    lastTop.current = scrollTop;
    look();
  };

  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [look]);

  // One observer for all rows: what a row takes is known when it is laid out, and whenever it opens or closes.
  const rows = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let changed = false;
        for (const { target } of entries) {
          const element = target as HTMLElement;
          const key = keys.get(element);
          const height = element.offsetHeight;
          if (key === undefined || height === 0 || heights.current.get(key) === height) continue;
          heights.current.set(key, height);
          changed = true;
        }
        if (changed) setMeasured((count) => count + 1);
      }),
    [],
  );
  useEffect(
    () => () => {
      rows.disconnect();
    },
    [rows],
  );
  useLayoutEffect(() => {
    const element = list.current;
    if (follow && atEnd.current && element !== null) element.scrollTop = element.scrollHeight;
    look();
  }, [follow, items.length, whole, look]);

  const built = items.slice(first, last + 1);
  return (
    <ol
      ref={list}
      className={`scroll ${props.className}`}
      aria-label={props.label}
      tabIndex={0}
      onScroll={scrolled}
      onKeyDown={(event) => {
        if (event.key === "End") atEnd.current = true;
      }}
    >
      {first > 0 ? <li aria-hidden="true" style={{ height: tops[first] }} /> : null}
      {built.map((item, offset) => {
        const key = keyOf(item);
        return (
          <Row key={key} name={key} sizes={rows} place={first + offset + 1} count={items.length}>
            {props.children(item)}
          </Row>
        );
      })}
      {last < items.length - 1 ? <li aria-hidden="true" style={{ height: whole - (tops[last + 1] ?? whole) }} /> : null}
    </ol>
  );
}

/** The item of each row that is built. */
const keys = new WeakMap<Element, string | number>();

function Row(props: {
  name: string | number;
  sizes: ResizeObserver;
  place: number;
  count: number;
  children: ReactNode;
}) {
  const { name, sizes } = props;
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return;
    keys.set(element, name);
    sizes.observe(element);
    return () => {
      sizes.unobserve(element);
    };
  }, [name, sizes]);
  return (
    <li ref={row} aria-setsize={props.count} aria-posinset={props.place}>
      {props.children}
    </li>
  );
}

function meanOf(heights: ReadonlyMap<unknown, number>): number | undefined {
  let sum = 0;
  for (const height of heights.values()) sum += height;
  return heights.size === 0 ? undefined : sum / heights.size;
}

/** Where each row begins, and where the last one ends. */
function topsOf<Item>(items: readonly Item[], height: (item: Item) => number): Float64Array {
  const tops = new Float64Array(items.length + 1);
  for (const [index, item] of items.entries()) tops[index + 1] = (tops[index] ?? 0) + height(item);
  return tops;
}

/** The row at a height. */
function indexAt(tops: Float64Array, y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
