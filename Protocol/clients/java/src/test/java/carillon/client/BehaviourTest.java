package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The behaviour vectors. Each has ports of its own, so several run at the same time. */
final class BehaviourTest {
    private static final int VECTORS = 120;
    private static final int AT_ONCE = 6;

    @TestFactory
    List<DynamicTest> vectors() throws Exception {
        List<Map<String, Object>> vectors = Vectors.load("behaviour");
        assertEquals(VECTORS, vectors.size());
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        List<DynamicTest> tests = new ArrayList<>();
        for (Map<String, Object> vector : vectors) {
            Future<?> run = pool.submit(() -> {
                Play.run(vector);
                return null;
            });
            tests.add(DynamicTest.dynamicTest((String) vector.get("name"), () -> result(vector, run)));
        }
        pool.shutdown();
        return tests;
    }

    /**
     * A vector that fails while others run is played again alone: some tell the runner of a frame as soon as it is sent,
     * and on a busy machine the program can act before the client has read it.
     */
    private static void result(Map<String, Object> vector, Future<?> run) throws Exception {
        try {
            run.get();
        } catch (ExecutionException error) {
            System.out.println(vector.get("name") + " again: " + error.getCause().getMessage());
            Play.run(vector);
        }
    }
}
