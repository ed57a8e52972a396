/** Name of the MCP prompt that holds the evaluation plan's system prompt. */
export const PLAN_PROMPT_NAME = "measure-m2-plan";
