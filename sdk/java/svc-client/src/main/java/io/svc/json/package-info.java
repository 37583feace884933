/**
 * A small JSON of its own: values as maps, lists, text, numbers, booleans and null, and as records.
 */
package io.svc.json;
