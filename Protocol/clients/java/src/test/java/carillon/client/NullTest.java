package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * No parameter may be null: each public method says so with INVALID_ARGUMENT, whatever its language (CONTRACT.md,
 * AUD-4).
 */
final class NullTest {
    private static final Map<Class<?>, Object> VALUES = Map.ofEntries(
        Map.entry(String.class, "de"), Map.entry(Object.class, "x"), Map.entry(String[].class, new String[] {"a:1"}),
        Map.entry(int.class, 1), Map.entry(long.class, 1L), Map.entry(double.class, 0.5),
        Map.entry(boolean.class, true), Map.entry(byte[].class, new byte[] {1}),
        Map.entry(Duration.class, Duration.ofSeconds(1)),
        Map.entry(Instant.class, Instant.EPOCH), Map.entry(UUID.class, new UUID(1, 1)),
        Map.entry(Path.class, Path.of("x")), Map.entry(Map.class, Map.of()), Map.entry(List.class, List.of()),
        Map.entry(Collection.class, List.of()), Map.entry(Supplier.class, (Supplier<String>) () -> "x"),
        Map.entry(Consumer.class, (Consumer<Object>) value -> { }), Map.entry(Token.class, Token.ofHex("ab")),
        Map.entry(DeviceReference.class, DeviceReference.id(1)), Map.entry(Payload.class, Payload.of("{}")),
        Map.entry(Content.class, Content.of("x")), Map.entry(Text.class, Text.of("x")),
        Map.entry(Translation.class, new Translation()), Map.entry(Sound.class, Sound.of("x")),
        Map.entry(Audience.class, Audience.allDevices()), Map.entry(Message.class, Message.of("x")),
        Map.entry(Registration.class, Registration.of(Token.ofHex("ab"))), Map.entry(PushType.class, PushType.ALERT),
        Map.entry(Lane.class, Lane.BULK), Map.entry(Environment.class, Environment.PRODUCTION),
        Map.entry(TokenKind.class, TokenKind.DEVICE), Map.entry(Security.class, Security.AUTO),
        Map.entry(InterruptionLevel.class, InterruptionLevel.ACTIVE), Map.entry(ReceiptKind.class, ReceiptKind.OPENED),
        Map.entry(StoragePolicy.class, StoragePolicy.NONE),
        Map.entry(LiveActivity.Event.class, LiveActivity.Event.UPDATE),
        Map.entry(DeviceUpdate.class, new DeviceUpdate()), Map.entry(MessageFilter.class, new MessageFilter()),
        Map.entry(ResendOptions.class, new ResendOptions()), Map.entry(EventOptions.class, new EventOptions()),
        Map.entry(MessageState.class, MessageState.FINISHED),
        Map.entry(ObstacleKind.class, ObstacleKind.UNREACHABLE), Map.entry(MessageUpdate.class, MessageUpdate.CANCEL),
        Map.entry(Options.class, Options.of("a:1")), Map.entry(LiveActivity.class, new LiveActivity()),
        Map.entry(CallOptions.class, CallOptions.DEFAULT),
        Map.entry(ClusterPosition.class, new ClusterPosition(new UUID(1, 1), 1)));

    private final List<String> faults = new ArrayList<>();

    @Test
    void noMethodTakesNull() throws Exception {
        int count = 0;
        try (CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy())) {
            List<Object> receivers = List.of(Options.of("a:1"), Message.of("x"), Content.of(new Notification()),
                Registration.of(Token.ofHex("ab")), new DeviceUpdate(), new EventOptions(), CallOptions.DEFAULT,
                new MessageFilter(), new ResendOptions(), new Notification(), new Translation(), new LiveActivity(),
                client, client.app("a"), client.blocking(), client.app("a").blocking());
            for (Object receiver : receivers) {
                count += methods(receiver.getClass(), receiver);
            }
            for (Class<?> type : List.of(CarillonClient.class, Audience.class, DeviceReference.class, Token.class,
                Payload.class, Text.class, Sound.class, MessageUpdate.class)) {
                count += methods(type, null);
            }
        }
        assertEquals(List.of(), faults);
        assertEquals(532, count, "parameters");
    }

    private int methods(Class<?> type, Object receiver) throws Exception {
        int count = 0;
        for (Method method : type.getMethods()) {
            boolean isOurs = method.getDeclaringClass().getPackage().equals(NullTest.class.getPackage());
            boolean fits = Modifier.isStatic(method.getModifiers()) || receiver != null;
            if (!isOurs || !fits || method.isBridge() || method.getName().equals("equals")) {
                continue;
            }
            for (int index = 0; index < method.getParameterCount(); index++) {
                if (!method.getParameterTypes()[index].isPrimitive()) {
                    refusesNull(method, receiver, index);
                    count++;
                }
            }
        }
        return count;
    }

    private void refusesNull(Method method, Object receiver, int index) throws Exception {
        List<Object> arguments = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            assertTrue(VALUES.containsKey(type), () -> method + ": there is no value of " + type);
            arguments.add(VALUES.get(type));
        }
        arguments.set(index, null);
        Throwable thrown = null;
        try {
            Object result = method.invoke(receiver, arguments.toArray());
            if (result instanceof CompletableFuture<?> future && future.isDone()) {
                future.join();
            } else if (result instanceof Listing<?> listing) {
                listing.iterator().hasNext();
            }
        } catch (InvocationTargetException error) {
            thrown = error.getCause();
        } catch (CompletionException error) {
            thrown = error.getCause();
        } catch (CarillonException error) {
            thrown = error;
        }
        if (!(thrown instanceof CarillonException known) || known.code() != Code.INVALID_ARGUMENT) {
            faults.add(method + ", argument " + index + ": " + thrown);
        }
    }
}
