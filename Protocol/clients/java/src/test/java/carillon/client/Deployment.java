package carillon.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server and an APNs simulator of `support/deployment.py`. */
final class Deployment implements AutoCloseable {
    final String server;
    final Path keyFile;
    final String app;
    private final Process process;
    private final BufferedReader lines;
    private final Writer commands;

    Deployment() throws IOException {
        process = new ProcessBuilder("python3", "-B",
            Vectors.PROTOCOL.resolve("clients/java/support/deployment.py").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lines = process.inputReader();
        commands = process.outputWriter();
        Map<String, Object> first = TestJson.object(TestJson.parse(lines.readLine()));
        server = (String) first.get("server");
        keyFile = Path.of((String) first.get("key_file"));
        app = (String) first.get("app");
    }

    /** Returns true if the programs of Carillon are there to be tested against. */
    static boolean isPossible() {
        String programs = System.getenv("CARILLON_PROGRAMS");
        return programs != null && !programs.isEmpty();
    }

    Options options() {
        return Options.of(server).apiKeyFile(keyFile).app(app);
    }

    /** Ends or starts the server, and waits for that. */
    void command(String command) throws IOException {
        commands.write(command + "\n");
        commands.flush();
        if (!lines.readLine().contains(command)) {
            throw new IOException("the deployment did not " + command);
        }
    }

    @Override
    public void close() throws IOException {
        commands.close();
        process.onExit().completeOnTimeout(process, 60, TimeUnit.SECONDS).join().destroyForcibly();
    }
}
