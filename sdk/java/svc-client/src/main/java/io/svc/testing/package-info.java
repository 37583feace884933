/** The real runtime for tests. */
package io.svc.testing;
