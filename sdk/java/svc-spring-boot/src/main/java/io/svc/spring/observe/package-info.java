/** Meters and spans. */
package io.svc.spring.observe;
