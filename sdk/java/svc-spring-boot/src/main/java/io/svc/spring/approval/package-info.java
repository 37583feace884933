/** Calls wait for the decision of a person. */
package io.svc.spring.approval;
