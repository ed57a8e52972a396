import { type RefObject, useEffect, useRef, useState } from "react";

/** The size of an element in CSS pixels, followed as it changes. Zero before it is known. */
export function useSize<Element extends HTMLElement>(): {
  readonly ref: RefObject<Element | null>;
  readonly width: number;
  readonly height: number;
} {
  const ref = useRef<Element>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { ref, ...size };
}
