/** Registers the companion's beans. Names of classes that move between generations are texts. */
package io.svc.spring.autoconfigure;
