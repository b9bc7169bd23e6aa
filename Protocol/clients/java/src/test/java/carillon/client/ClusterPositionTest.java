package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Positions in the log of a cluster (POS of the contract). */
final class ClusterPositionTest {
    private static final UUID CLUSTER = UUID.fromString("63636363-6363-6363-6363-636363636363");

    private static ClusterPosition position(long number) {
        return new ClusterPosition(CLUSTER, number);
    }

    @Test
    void aPositionIsNewerIfItIsGreaterOrOfAnotherCluster() {
        assertTrue(position(1).isNewerThan(null));
        assertTrue(position(2).isNewerThan(position(1)));
        assertFalse(position(1).isNewerThan(position(1)));
        assertFalse(position(1).isNewerThan(position(-1)));
        assertTrue(position(1).isNewerThan(new ClusterPosition(new UUID(1, 2), 7)));
    }

    @Test
    void aPositionIsWrittenAndReadAsText() {
        assertEquals(position(-1), ClusterPosition.parse(CLUSTER + ":18446744073709551615"));
        assertEquals(CLUSTER + ":41", position(41).toString());
        for (String text : List.of("", "7", "x:7", CLUSTER.toString(), CLUSTER + ":", CLUSTER + ":-1",
            CLUSTER + ":99999999999999999999")) {
            assertEquals("position", assertThrows(CarillonException.class, () -> ClusterPosition.parse(text)).field()
                .orElseThrow());
        }
    }

    @Test
    void aClientTakesThePositionOfAnother() {
        try (CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy())) {
            client.readAfter(position(7));
            client.readAfter(position(6));
            assertEquals(position(7), client.position().orElseThrow());
        }
    }
}
