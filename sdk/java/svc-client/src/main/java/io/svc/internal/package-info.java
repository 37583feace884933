/** What the packages of the SDK share; the module does not export it. */
package io.svc.internal;
