/** Tests of applications that use the companion. */
package io.svc.spring.testing;
