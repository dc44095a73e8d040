/** JSON as data, for journals and payloads that are stored and never interpreted. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}
