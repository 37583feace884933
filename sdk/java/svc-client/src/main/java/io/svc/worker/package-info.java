/** Workers: your code as the tools and durable functions of workflows. */
package io.svc.worker;
