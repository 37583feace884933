/** One model call is one execution: its start, its end, and the advisor around it. */
package io.svc.spring.call;
