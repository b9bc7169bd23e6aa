package carillon.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A process of `fake_server.py`, which plays the servers of one behaviour vector. */
final class FakeServer implements AutoCloseable {
    private final Process process;
    private final Writer commands;
    private final Map<String, Object> listening;
    private final Map<String, Object> files;
    private final Set<String> reached = ConcurrentHashMap.newKeySet();
    private volatile Map<String, Object> verdict;
    private final Thread reader;

    FakeServer(String name) throws IOException {
        String program = Vectors.PROTOCOL.resolve("clients/testing/fake_server.py").toString();
        process = new ProcessBuilder("python3", "-B", program, name)
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        commands = process.outputWriter();
        BufferedReader lines = process.inputReader();
        Map<String, Object> first = TestJson.object(TestJson.parse(lines.readLine()));
        listening = TestJson.object(first.get("listening"));
        files = TestJson.object(first.get("files"));
        reader = new Thread(() -> read(lines));
        reader.setDaemon(true);
        reader.start();
    }

    private void read(BufferedReader lines) {
        lines.lines().map(line -> TestJson.object(TestJson.parse(line))).forEach(line -> {
            synchronized (this) {
                if (line.containsKey("reached")) {
                    reached.add((String) line.get("reached"));
                } else if (line.containsKey("verdict")) {
                    verdict = TestJson.object(line.get("verdict"));
                }
                notifyAll();
            }
        });
    }

    /** Returns the names of the servers by their addresses. */
    Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        listening.forEach((name, address) -> names.put((String) address, name));
        return names;
    }

    /** Returns the address of a server of the vector, or the text itself. */
    String address(String name) {
        return (String) listening.getOrDefault(name, name);
    }

    String file(String name) {
        return (String) files.get(name);
    }

    void signal(String name) throws IOException {
        commands.write("signal " + name + "\n");
        commands.flush();
    }

    synchronized void await(String name, long limitMs) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        while (!reached.contains(name)) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("the step " + name + " of the server did not come");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    Map<String, Object> verdict() throws Exception {
        commands.write("verdict\n");
        commands.flush();
        process.waitFor(60, TimeUnit.SECONDS);
        reader.join(5_000);
        return verdict;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
