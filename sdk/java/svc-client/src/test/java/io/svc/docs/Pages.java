package io.svc.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Blocks of code on pages of the documentation. */
final class Pages {
  static final Path REPOSITORY = Path.of(System.getProperty("svc.repository"));
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern NAMED =
      Pattern.compile("<!-- (\\S+) -->\n\n```\\w+\n(.*?)```", Pattern.DOTALL);

  private Pages() {}

  static String read(String path) throws IOException {
    return Files.readString(REPOSITORY.resolve(path));
  }

  /** The files of a page by their names: {@code <!-- name -->} stands before each block. */
  static Map<String, String> filesOf(String path) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    for (Matcher found = NAMED.matcher(read(path)); found.find(); ) {
      files.put(found.group(1), found.group(2));
    }
    return files;
  }

  /** All blocks of Java as one file, with their imports in front. */
  static String programOf(String path) throws IOException {
    Set<String> imports = new LinkedHashSet<>();
    List<String> rest = new ArrayList<>();
    for (Matcher found = JAVA.matcher(read(path)); found.find(); ) {
      found
          .group(1)
          .lines()
          .forEach(line -> (line.startsWith("import ") ? imports : rest).add(line));
    }
    return String.join("\n", imports) + "\n" + String.join("\n", rest) + "\n";
  }
}
