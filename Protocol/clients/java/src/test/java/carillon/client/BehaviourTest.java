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
    private static final int VECTORS = 125;
    private static final int AT_ONCE = 6;

    @TestFactory
    List<DynamicTest> vectors() throws Exception {
        List<Map<String, Object>> vectors = Vectors.load("behaviour");
        assertEquals(VECTORS, vectors.size());
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        List<DynamicTest> tests = new ArrayList<>();
        for (Map<String, Object> vector : vectors) {
            Future<?> run = pool.submit(() -> {
                BehaviourPlayer.run(vector);
                return null;
            });
            tests.add(DynamicTest.dynamicTest((String) vector.get("name"), () -> result(run)));
        }
        pool.shutdown();
        return tests;
    }

    private static void result(Future<?> run) throws Throwable {
        try {
            run.get();
        } catch (ExecutionException error) {
            throw error.getCause();
        }
    }
}
