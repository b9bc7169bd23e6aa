import carillon.client.Audience;
import carillon.client.BlockingAppCalls;
import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.DeviceReference;
import carillon.client.Message;
import carillon.client.MessageStatus;
import carillon.client.MessageUpdate;
import carillon.client.SendResult;
import carillon.client.Unsigned;
import java.time.Duration;
import java.time.Instant;

/** Schedules a message in an hour and cancels it; the argument is TOKEN. */
final class Schedule {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOKEN");
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            BlockingAppCalls app = client.app().blocking();
            Message message = Message.of("Later").label("later").sendAt(Instant.now().plus(Duration.ofHours(1)));
            SendResult sent = app.send(Audience.device(DeviceReference.token(arguments[0])), message);
            String id = Unsigned.toString(sent.messageId());
            System.out.println("message " + id + " " + app.messageStatus(sent.messageId()).state());
            app.updateMessage(sent.messageId(), MessageUpdate.CANCEL);
            MessageStatus status = app.waitUntilFinished(sent.messageId(), Duration.ofSeconds(30));
            System.out.println(status.state());
            status.outcomes().forEach((outcome, devices) -> System.out.println(outcome + " " + devices));
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
