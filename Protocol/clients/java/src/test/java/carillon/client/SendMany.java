package carillon.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Sends COUNT messages at once while servers go and come: LABEL PREFIX COUNT, for run_losses.py, which says what is
 * printed.
 */
final class SendMany {
    /** It bounds what the server has accepted before the first answers are read. */
    private static final int MAXIMUM_IN_FLIGHT = 16;

    private SendMany() {
    }

    public static void main(String[] arguments) {
        Options options = Options.fromEnvironment().maximumInFlight(MAXIMUM_IN_FLIGHT)
            .requestTimeout(Duration.ofMinutes(1))
            .onState(report -> {
                if (report.state() == StateReport.State.CONNECTED) {
                    print("connected " + report.address().orElseThrow());
                }
            });
        try (CarillonClient client = CarillonClient.connect(options)) {
            AppCalls app = client.app();
            CompletableFuture<?>[] sends = new CompletableFuture<?>[Integer.parseInt(arguments[2])];
            for (int index = 0; index < sends.length; index++) {
                DeviceReference device = DeviceReference.token(arguments[1] + String.format("%08x", index));
                Message message = Message.of("Hello").label(arguments[0] + " " + index);
                String number = Integer.toString(index);
                sends[index] = app.send(Audience.device(device), message).handle((sent, error) -> {
                    print(sent == null ? "failed " + number + " " + error
                        : "sent " + number + " " + Unsigned.toString(sent.messageId()));
                    return null;
                });
            }
            CompletableFuture.allOf(sends).join();
        }
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
