package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README shows the examples as they are. */
final class ReadmeTest {
    @Test
    void eachExampleIsInTheReadme() throws Exception {
        Path folder = Vectors.PROTOCOL.resolve("clients/java");
        String readme = Files.readString(folder.resolve("README.md"));
        try (Stream<Path> files = Files.list(folder.resolve("examples"))) {
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
