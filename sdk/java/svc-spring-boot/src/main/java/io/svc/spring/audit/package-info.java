/** Records prompts and responses. */
package io.svc.spring.audit;
