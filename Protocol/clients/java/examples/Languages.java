import carillon.client.Audience;
import carillon.client.BlockingAppCalls;
import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.Content;
import carillon.client.Message;
import carillon.client.Notification;
import carillon.client.SendResult;
import carillon.client.Translation;
import carillon.client.Unsigned;
import java.time.Duration;

/** Sends to a topic in two languages, and counts all devices by a dry run; the argument is TOPIC. */
final class Languages {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOPIC");
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            BlockingAppCalls app = client.app().blocking();
            Content content = Content.of(new Notification().title("Raid").body("It begins"))
                .translation("de", new Translation().body("Es beginnt"));
            SendResult sent = app.send(Audience.topic(arguments[0]), Message.of(content));
            System.out.println("message " + Unsigned.toString(sent.messageId()) + " to " + sent.total());
            app.waitUntilFinished(sent.messageId(), Duration.ofSeconds(30)).outcomes()
                .forEach((outcome, devices) -> System.out.println(outcome + " " + devices));
            SendResult counted = app.send(Audience.allDevices(), Message.of(content).dryRun());
            System.out.println("all devices " + counted.total());
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
