package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README shows the examples as they are, and names the public classes. */
final class ReadmeTest {
    private static final Path FOLDER = Vectors.PROTOCOL.resolve("clients/java");

    @Test
    void eachPublicClassIsInTheTable() throws Exception {
        String readme = Files.readString(FOLDER.resolve("README.md"));
        String table = readme.substring(readme.indexOf("## Where the classes are"), readme.indexOf("## Install"));
        int internalCount = 0;
        try (Stream<Path> files = Files.list(FOLDER.resolve("src/main/java/carillon/client"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                if (Files.readString(file).contains("\npublic ")) {
                    assertTrue(table.contains("`" + name + "`"), name + " is not in the README");
                } else if (!name.equals("package-info")) {
                    internalCount++;
                }
            }
        }
        assertTrue(table.contains("The " + internalCount + " other classes"), internalCount + " classes are internal");
    }

    @Test
    void eachExampleIsInTheReadme() throws Exception {
        String readme = Files.readString(FOLDER.resolve("README.md"));
        try (Stream<Path> files = Files.list(FOLDER.resolve("examples"))) {
            List<Path> examples = files.filter(each -> !each.endsWith("Failed.java")).sorted().toList();
            assertEquals(8, examples.size());
            for (Path example : examples) {
                String text = Files.readString(example);
                int end = text.indexOf("        } catch (CarillonException error) {\n            Failed");
                int begin = text.indexOf("        try (CarillonClient");
                String block = text.substring(begin, end).stripTrailing().stripIndent();
                String shown = "```java\n" + block + "\n}\n```";
                assertTrue(readme.contains(shown), example + " is not in the README as it is");
            }
        }
    }
}
