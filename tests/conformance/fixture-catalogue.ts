import { setTimeout as pause } from "node:timers/promises";
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
  type ServerContext,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/*
 * The tools, resources and prompts that the official conformance suite calls by name, so that it can exercise the
 * transport stack in front of them. What each has to do is the suite's own description of its scenarios.
 */

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const PAUSE_MS = 50;

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const fromUser = (words: string) => ({ role: "user" as const, content: { type: "text" as const, text: words } });
const NOTHING = z.object({});
const FIXTURE = "Fixture of the official conformance suite";

const states = createRequestStateCodec<{ readonly step: number }>({ key: "conformance fixture, not a secret key" });

/** `notifier` reaches the subscribers of the endpoint that serves the catalogue. */
export function fixtureCatalogue(
  notifier: () => Pick<ServerNotifier, "toolsChanged" | "promptsChanged">,
): McpServerFactory {
  return () => {
    const server = new McpServer(
      { name: "caustic-conformance-fixture", version: "1.0.0" },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
          logging: {},
          completions: {},
        },
        requestState: { verify: (state, context) => states.verify(state, context) },
      },
    );
    addContentTools(server);
    addReportingTools(server, notifier);
    addAskingTools(server);
    addRoundTripTools(server);
    addResources(server);
    addPrompts(server);
    return server;
  };
}

function addContentTools(server: McpServer): void {
  server.registerTool("test_simple_text", { description: "Text" }, () =>
    text("This is a simple text response for testing."),
  );
  server.registerTool("test_image_content", { description: "A picture" }, () => ({ content: [image] }));
  server.registerTool("test_audio_content", { description: "A sound" }, () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  server.registerTool("test_embedded_resource", { description: "A resource inside the result" }, () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }));
  server.registerTool("test_multiple_content_types", { description: "Text, picture and resource" }, () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }));
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addReportingTools(
  server: McpServer,
  notifier: () => Pick<ServerNotifier, "toolsChanged" | "promptsChanged">,
): void {
  server.registerTool(
    "test_tool_with_progress",
    { description: FIXTURE, inputSchema: NOTHING },
    async (_none, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
          await context.mcpReq.notify({ method: "notifications/progress", params });
        }
        if (progress < 100) await pause(PAUSE_MS);
      }
      return text("Done");
    },
  );
  server.registerTool(
    "test_tool_with_logging",
    { description: FIXTURE, inputSchema: NOTHING },
    async (_none, context) => {
      await logged(context, "Tool execution started");
      await pause(PAUSE_MS);
      await logged(context, "Tool processing data");
      await pause(PAUSE_MS);
      await logged(context, "Tool execution completed");
      return text("Done");
    },
  );
  server.registerTool("test_logging_tool", { description: FIXTURE, inputSchema: NOTHING }, async (_none, context) => {
    await logged(context, "Heard only by those who asked for a level");
    return text("Done");
  });
  server.registerTool("test_trigger_tool_change", { description: FIXTURE, inputSchema: NOTHING }, () => {
    notifier().toolsChanged();
    return text("Done");
  });
  server.registerTool("test_trigger_prompt_change", { description: FIXTURE, inputSchema: NOTHING }, () => {
    notifier().promptsChanged();
    return text("Done");
  });
}

// The suite tests the deprecated notification on purpose.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const logged = (context: ServerContext, words: string): Promise<void> => context.mcpReq.log("info", words);

/** Tools that ask the client while they run, in whatever way the era has for it. */
function addAskingTools(server: McpServer): void {
  server.registerTool(
    "test_sampling",
    { description: FIXTURE, inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "answer");
      if (answer.kind !== "sampling") {
        return inputRequired({ inputRequests: { answer: askModel(prompt, 100) } });
      }
      return text(`LLM response: ${JSON.stringify(answer.result.content)}`);
    },
  );
  const asking = (name: string, argument: z.ZodObject, prefix: string, message: string, properties: object): void => {
    server.registerTool(name, { description: FIXTURE, inputSchema: argument }, (given, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "answer");
      if (answer.kind !== "elicit") {
        const words = typeof given["message"] === "string" ? given["message"] : message;
        return inputRequired({ inputRequests: { answer: askPerson(words, properties) } });
      }
      return text(`${prefix}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
    });
  };
  asking("test_elicitation", z.object({ message: z.string() }), "User response", "", {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  });
  asking("test_elicitation_sep1034_defaults", NOTHING, "Elicitation completed", "Please review the defaults", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  });
  const options = ["option1", "option2", "option3"];
  const titled = (titles: readonly string[]) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));
  asking("test_elicitation_sep1330_enums", NOTHING, "Elicitation completed", "Please choose", {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: titled(["First Option", "Second Option", "Third Option"]) },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: { type: "array", items: { anyOf: titled(["First Choice", "Second Choice", "Third Choice"]) } },
  });
  server.registerTool("test_streaming_elicitation", { description: FIXTURE, inputSchema: NOTHING }, (_none, context) =>
    inputResponse(context.mcpReq.inputResponses, "answer").kind === "elicit"
      ? text("Done")
      : inputRequired({ inputRequests: { answer: askPerson("Go on?", { ok: { type: "boolean" } }) } }),
  );
}

function askPerson(message: string, properties: object) {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required: [] } as unknown as z.ZodObject,
  });
}

function askModel(prompt: string, maxTokens: number) {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });
}

const NAME = z.object({ name: z.string() });
const OK = z.object({ ok: z.boolean() });

/** Tools and a prompt that need answers before they can finish (SEP-2322). */
function addRoundTripTools(server: McpServer): void {
  const askName = (message = "What is your name?") => inputRequired.elicit({ message, requestedSchema: NAME });
  const confirm = () => inputRequired.elicit({ message: "Please confirm", requestedSchema: OK });

  server.registerTool(
    "test_input_required_result_elicitation",
    { description: FIXTURE, inputSchema: NOTHING },
    (_none, context) => {
      const given = acceptedContent(context.mcpReq.inputResponses, "user_name", NAME);
      return given === undefined
        ? inputRequired({ inputRequests: { user_name: askName() } })
        : text(`Hello, ${given.name}!`);
    },
  );
  server.registerTool(
    "test_input_required_result_sampling",
    { description: FIXTURE, inputSchema: NOTHING },
    (_none, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "capital_question");
      return answer.kind === "sampling"
        ? text(JSON.stringify(answer.result.content))
        : inputRequired({ inputRequests: { capital_question: askModel("What is the capital of France?", 100) } });
    },
  );
  server.registerTool(
    "test_input_required_result_list_roots",
    { description: FIXTURE, inputSchema: NOTHING },
    (_none, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "client_roots");
      return answer.kind === "roots"
        ? text(answer.roots.map(({ uri }) => uri).join(", "))
        : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
  );
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    server.registerTool(name, { description: FIXTURE, inputSchema: NOTHING }, async (_none, context) => {
      const given = acceptedContent(context.mcpReq.inputResponses, "confirm", OK);
      const state = context.mcpReq.requestState<{ readonly step: number }>();
      if (given !== undefined && state?.step === 1) return text("state-ok");
      return inputRequired({ inputRequests: { confirm: confirm() }, requestState: await states.mint({ step: 1 }) });
    });
  }
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    { description: FIXTURE, inputSchema: NOTHING },
    async (_none, context) => {
      const given = context.mcpReq.inputResponses;
      const name = acceptedContent(given, "user_name", NAME);
      const greeting = inputResponse(given, "greeting");
      const roots = inputResponse(given, "client_roots");
      if (name !== undefined && greeting.kind === "sampling" && roots.kind === "roots") return text("All there");
      return inputRequired({
        inputRequests: {
          user_name: askName(),
          greeting: askModel("Generate a greeting", 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await states.mint({ step: 1 }),
      });
    },
  );
  server.registerTool(
    "test_input_required_result_multi_round",
    { description: FIXTURE, inputSchema: NOTHING },
    async (_none, context) => {
      const step = context.mcpReq.requestState<{ readonly step: number }>()?.step ?? 0;
      const given = context.mcpReq.inputResponses;
      if (step === 2 && inputResponse(given, "step2").kind === "elicit") return text("Both steps answered");
      if (step === 1 && inputResponse(given, "step1").kind === "elicit") {
        const requestedSchema = z.object({ color: z.string() });
        const step2 = inputRequired.elicit({ message: "Step 2: What is your favorite color?", requestedSchema });
        return inputRequired({ inputRequests: { step2 }, requestState: await states.mint({ step: 2 }) });
      }
      return inputRequired({
        inputRequests: { step1: askName("Step 1: What is your name?") },
        requestState: await states.mint({ step: 1 }),
      });
    },
  );
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: FIXTURE, inputSchema: NOTHING },
    (_none, context) => {
      const able = capabilitiesOf(context);
      const inputRequests = {
        ...(able["elicitation"] !== undefined && { user_name: askName() }),
        ...(able["sampling"] !== undefined && { greeting: askModel("Generate a greeting", 50) }),
      };
      return Object.keys(inputRequests).length === 0 ? text("Nothing to ask") : inputRequired({ inputRequests });
    },
  );
  // The server refuses by itself what a client never said it can answer.
  server.registerTool("test_missing_capability", { description: FIXTURE, inputSchema: NOTHING }, () =>
    inputRequired({ inputRequests: { answer: askModel("Are you there?", 10) } }),
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first" }, (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "user_context");
    if (given !== undefined) return { messages: [fromUser(`Use this context: ${String(given["context"])}`)] };
    const requestedSchema = z.object({ context: z.string() });
    const user_context = inputRequired.elicit({ message: "What context should the prompt use?", requestedSchema });
    return inputRequired({ inputRequests: { user_context } });
  });
}

function capabilitiesOf(context: ServerContext): Readonly<Record<string, unknown>> {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Readonly<Record<string, unknown>>;
}

function addResources(server: McpServer): void {
  const plain = { mimeType: "text/plain" };
  server.registerResource("static-text", "test://static-text", plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PNG }],
  }));
  server.registerResource("watched-resource", "test://watched-resource", plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: "Watched resource content" }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function addPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "No arguments" }, () => ({
    messages: [fromUser("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Two arguments", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [fromUser(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A resource inside", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        fromUser("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A picture inside" }, () => ({
    messages: [{ role: "user", content: image }, fromUser("Please analyze the image above.")],
  }));
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
}
