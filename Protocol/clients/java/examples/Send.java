import carillon.client.Audience;
import carillon.client.BlockingAppCalls;
import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.DeviceReference;
import carillon.client.Message;
import carillon.client.SendResult;
import carillon.client.Unsigned;
import java.time.Duration;

/** Sends an alert to one device and waits for its outcome; the arguments are TOKEN and TEXT. */
final class Send {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOKEN", "TEXT");
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            BlockingAppCalls app = client.app().blocking();
            Audience audience = Audience.device(DeviceReference.token(arguments[0]));
            SendResult sent = app.send(audience, Message.of(arguments[1]));
            System.out.println("message " + Unsigned.toString(sent.messageId()) + " to " + sent.total());
            app.waitUntilFinished(sent.messageId(), Duration.ofSeconds(30)).outcomes()
                .forEach((outcome, devices) -> System.out.println(outcome + " " + devices));
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
