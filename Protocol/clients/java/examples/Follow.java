import carillon.client.Audience;
import carillon.client.BlockingAppCalls;
import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.DeviceReference;
import carillon.client.EventKind;
import carillon.client.EventOptions;
import carillon.client.EventStream;
import carillon.client.Message;
import carillon.client.Receipt;
import carillon.client.ReceiptKind;
import carillon.client.StreamElement;
import carillon.client.Unsigned;
import java.util.List;

/** Follows events until a message has finished, and reports that it was opened; the arguments are TOKEN and NAME. */
final class Follow {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOKEN", "NAME");
        try (CarillonClient client = CarillonClient.fromEnvironment();
            EventStream events = client.blocking().events(
                new EventOptions().name(arguments[1]).kinds(List.of(EventKind.MESSAGE_FINISHED)))) {
            BlockingAppCalls app = client.app().blocking();
            DeviceReference device = DeviceReference.token(arguments[0]);
            long id = app.send(Audience.device(device), Message.of("Seen?").idKey("id")).messageId();
            for (StreamElement element : events) {
                if (element instanceof StreamElement.Event event && event.messageId().orElse(0) == id) {
                    System.out.println("message " + Unsigned.toString(id) + " finished " + event.count().orElse(0));
                    Receipt receipt = new Receipt(id, device, ReceiptKind.OPENED);
                    System.out.println("opened " + app.reportReceipts(List.of(receipt)).counted());
                    events.acknowledge(event.sequence());
                    events.flush();
                    System.out.println("acknowledged");
                    break;
                }
            }
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
