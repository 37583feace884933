package io.svc.worker;

import java.lang.reflect.Type;

/** A tool under its name. */
record Tool(String name, Type input, ToolFunction<Object> function) {}
