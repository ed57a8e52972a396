import { BenchCards } from "./bench-cards.tsx";
import { BenchFiles } from "./bench-files.tsx";
import { SimulatorSection } from "./simulator-section.tsx";

/** Which benches there are: simulated ones by scenario, real ones by their files. */
export function InstrumentsView() {
  return (
    <div className="instruments">
      <div className="instruments-main scroll">
        <BenchCards />
        <BenchFiles />
      </div>
      <aside className="instruments-side scroll" aria-label="Simulator" tabIndex={-1}>
        <SimulatorSection />
      </aside>
    </div>
  );
}
