export {
  durableModel,
  type DurableModelOptions,
  type LanguageModelLike,
  type ModelCall,
  type ModelResult,
  type ModelStreamPart,
  type ModelStreamResult,
} from './durable-model.ts';
export {
  durableTools,
  stepOf,
  type DurableToolsOptions,
  type ToolCall,
  type ToolLike,
  type ToolMethods,
  type ToolRequest,
} from './durable-tools.ts';
export { ToolRejectedError } from './errors.ts';
