/**
 * What applications use: properties, context keys, the exception of a rejection, and prices.
 *
 * <p>The packages below this one are the companion's own.
 */
package io.svc.spring;
