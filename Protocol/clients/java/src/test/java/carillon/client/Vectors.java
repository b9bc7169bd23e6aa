package carillon.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The files of `Protocol`. */
final class Vectors {
    static final Path PROTOCOL = Path.of(System.getProperty("carillon.protocol")).toAbsolutePath();

    private Vectors() {
    }

    /** Returns all cases of a folder. */
    static List<Map<String, Object>> load(String folder) throws Exception {
        List<Map<String, Object>> cases = new ArrayList<>();
        try (Stream<Path> files = Files.list(PROTOCOL.resolve("vectors").resolve(folder))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
                Object content = TestJson.read(file);
                if (content instanceof List<?> list) {
                    list.forEach(each -> cases.add(TestJson.object(each)));
                } else {
                    cases.add(TestJson.object(content));
                }
            }
        }
        return cases;
    }

    static byte[] bytes(Object hex) {
        return HexFormat.of().parseHex((String) hex);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static int number(Object value) {
        return ((Number) value).intValue();
    }
}
