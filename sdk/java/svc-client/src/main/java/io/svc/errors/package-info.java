/** The errors of the client, and those that your own code throws. All of them are unchecked. */
package io.svc.errors;
