import { Dialog } from "../controls/dialog.tsx";
import { usePreferences } from "../store/preferences.ts";
import { useWindow } from "../store/window-store.ts";
import { COMMANDS, keyWords } from "./commands.ts";

/** Every key, the theme, and the way back to the tour. */
export function Help() {
  const theme = usePreferences((state) => state.theme);
  const change = usePreferences((state) => state.change);
  const version = useWindow((state) => state.overview?.version);
  const mcp = useWindow((state) => state.overview?.mcp_address);
  const close = (): void => {
    useWindow.setState({ help: false });
  };
  return (
    <Dialog title="Keys and help" onClose={close} wide>
      <dl className="keys">
        <div>
          <dt>
            <kbd>ESC</kbd>
          </dt>
          <dd>
            <strong>STOP</strong>: works everywhere
          </dd>
        </div>
        {COMMANDS.map((command) => (
          <div key={command.name}>
            <dt>
              {keyWords(command.key).map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{command.words}</dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <button
          type="button"
          onClick={() => {
            change({ theme: theme === "dark" ? "light" : "dark" });
          }}
        >
          {theme === "dark" ? "Light theme" : "Dark theme"}
        </button>
        <button
          type="button"
          onClick={() => {
            useWindow.setState({ help: false, tour: 0 });
          }}
        >
          Show me how to measure M²
        </button>
        <span className="grow" />
        <span className="dim">Caustic {version}</span>
      </div>
      {mcp === undefined ? null : (
        <p className="dim">
          Agents connect over MCP at <code>{mcp}</code>; the host printed the configuration with its token when it
          started.
        </p>
      )}
    </Dialog>
  );
}
