import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";

/**
 * Validators of tool results that are compiled once in the life of the process. A client compiles the schemas of all listed tools
 * when it connects, which takes longer than a short run; every unit of an evaluation connects anew and lists the same tools.
 */
class CompiledSchemas implements jsonSchemaValidator {
  readonly #compiler = new AjvJsonSchemaValidator();
  readonly #compiled = new Map<string, JsonSchemaValidator<unknown>>();

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema);
    const known = this.#compiled.get(text);
    if (known !== undefined) return known as JsonSchemaValidator<T>;
    const compiled = this.#compiler.getValidator<T>(schema);
    this.#compiled.set(text, compiled);
    return compiled;
  }
}

export const compiledSchemas: jsonSchemaValidator = new CompiledSchemas();
